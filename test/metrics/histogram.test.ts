import { expect } from 'chai'
import { array, asyncProperty, assert, constantFrom, double, oneof, record } from 'fast-check'
import { AggregatorRegistry, Histogram, Registry } from 'prom-client'

import { createHistogram } from '../../src/metrics/histogram.js'

const BUCKETS = [2.5e-7, 0.001, 0.5, 1, 10]
const VALUE = oneof(constantFrom(0, ...BUCKETS), double({ min: 0, max: 20, noNaN: true }))

/** The same histogram as ours and as prom-client's own, each in a registry. */
const both = <const Names extends readonly string[]>(labelNames: Names) => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const options = { name: 'seconds', help: 'a help', labelNames, buckets: BUCKETS }
  return {
    ours,
    theirs,
    mine: createHistogram({ ...options, registers: [ours] }),
    given: new Histogram({ ...options, labelNames: [...labelNames], registers: [theirs] }),
  }
}

describe('a histogram', () => {
  it('says what prom-client’s own would, whatever is observed, as text and as JSON', async () => {
    const observation = record({
      method: constantFrom('GET', 'PATCH'),
      status: constantFrom(200, 404, 500),
      value: VALUE,
    })
    await assert(
      asyncProperty(array(observation, { maxLength: 40 }), async (observations) => {
        const { ours, theirs, mine, given } = both(['method', 'status'])
        for (const { method, status, value } of observations) {
          mine.observe(value, method, status)
          given.observe({ method, status }, value)
        }
        expect(await ours.metrics()).to.equal(await theirs.metrics())
        const aggregated = async (registry: Registry) =>
          AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()]).metrics()
        expect(await aggregated(ours)).to.equal(await aggregated(theirs))
      }),
    )
  })

  it('without labels is there before anything was observed', async () => {
    const { ours, theirs, mine, given } = both([])
    expect(await ours.metrics()).to.equal(await theirs.metrics())
    mine.observe(0.3)
    given.observe(0.3)
    expect(await ours.metrics())
      .to.equal(await theirs.metrics())
      .and.to.include('seconds_count 1')
  })
})
