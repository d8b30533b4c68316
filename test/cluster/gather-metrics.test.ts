import { expect } from 'chai'
import { Counter, Gauge, Registry } from 'prom-client'

import { createMetricsGathering } from '../../src/cluster/gather-metrics.js'
import type { Measurements } from '../../src/cluster/message.js'
import { valueOf } from '../support/exposition.js'

/** What a process that counted so many says. */
const counted = async (count: number): Promise<Measurements> => {
  const registry = new Registry()
  new Counter({ name: 'done_total', help: 'a test', registers: [registry] }).inc(count)
  new Gauge({ name: 'held', help: 'a test', registers: [registry] }).set(1)
  return registry.getMetricsAsJSON()
}

describe('the metrics of several workers', () => {
  it('keep what those that ended had counted, and nothing of what they held', async () => {
    const { text, retire } = createMetricsGathering()
    for (const count of [3, 4]) {
      const last = await counted(count)
      retire({ lastMeasured: () => last })
    }
    const answer = await text([{ measure: () => counted(5) }], [])
    expect([valueOf(answer, 'done_total'), valueOf(answer, 'held')]).to.deep.equal([12, 1])
  })

  it('count a worker once that ends while it is asked', async () => {
    const { text, retire } = createMetricsGathering()
    const last = await counted(3)
    let answer: (measurements: Measurements) => void = () => undefined
    const asked = text(
      [
        {
          measure: () =>
            new Promise((resolve) => {
              answer = resolve
            }),
        },
      ],
      [],
    )
    retire({ lastMeasured: () => last })
    answer(last)
    expect(valueOf(await asked, 'done_total')).to.equal(3)
    expect(valueOf(await text([], []), 'done_total')).to.equal(3)
  })

  it('go on without what one said that cannot be added', async () => {
    const { text, retire } = createMetricsGathering()
    const last = await counted(3)
    retire({ lastMeasured: () => last })
    retire({ lastMeasured: () => [{ name: 'done_total', type: 'counter' }] })
    expect(valueOf(await text([], []), 'done_total')).to.equal(3)
  })
})
