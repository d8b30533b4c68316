import { expect } from 'chai'

import { createGate } from '../../src/domain/gate.js'
import { Refusal } from '../../src/domain/refusal.js'

const refuse = () => new Refusal('rate_limited')
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error instanceof Refusal ? error.code : error))

describe('a gate', () => {
  it('runs at most so many at once, in order, and goes on after one that failed', async () => {
    const bounded = createGate({ atOnce: 2, waiting: 100, refuse })
    const order: number[] = []
    let running = 0
    let most = 0
    const work = (i: number) =>
      bounded(async () => {
        running += 1
        most = Math.max(most, running)
        order.push(i)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        if (i % 3 === 0) throw new Error('failed')
        return i
      })
    const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => work(i)))
    expect(most).to.equal(2)
    expect(order).to.deep.equal(Array.from({ length: 50 }, (_, i) => i))
    expect(answers.filter(({ status }) => status === 'rejected')).to.have.length(17)
    expect(await bounded(async () => 'free')).to.equal('free')
  })
  it('refuses what waits too long, or behind too many, and never begins it', async () => {
    const gate = createGate({ atOnce: 1, waiting: 1, withinMs: 20, refuse })
    let end: () => void = () => undefined
    const first = gate(() => new Promise<void>((resolve) => (end = resolve)))
    const begun: string[] = []
    const late = gate(async () => begun.push('late'))
    expect(await codeOf(gate(async () => begun.push('third')))).to.equal('rate_limited')
    expect(await codeOf(late)).to.equal('rate_limited')
    end()
    await first
    expect(await gate(async () => 'free')).to.equal('free')
    expect(begun).to.deep.equal([])
  })
})
