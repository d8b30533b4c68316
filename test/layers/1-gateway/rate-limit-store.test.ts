import { expect } from 'chai'

import { createCounter } from '../../../src/layers/1-gateway/rate-limit-store.js'
import { collectGarbage } from '../../support/collect-garbage.js'

const quota = { points: 5, seconds: 60 }

describe('the counters of the rate limit', () => {
  it('hold a bounded number of buckets under 300,000 distinct addresses', async () => {
    const counter = createCounter({ namespace: 'anonymous', quota, maxBuckets: 10_000 })
    const fill = async (from: number, count: number) => {
      for (let i = from; i < from + count; i++)
        await counter.consume(`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255} ${i >> 24}`)
    }
    await fill(0, 100_000)
    const before = used()
    await fill(100_000, 200_000)
    expect((used() - before) / 2 ** 20, 'MiB grown').to.be.below(16)
  })

  it('forget the longest unused bucket first, and keep counting those in use', async () => {
    const counter = createCounter({ namespace: 'anonymous', quota, maxBuckets: 100 })
    for (let i = 0; i < 5; i++) await counter.consume('in use')
    for (let i = 0; i < 10_000; i++) {
      await counter.consume(`other ${i}`)
      if (i % 50 === 0) expect((await counter.consume('in use')).allowed).to.equal(false)
    }
    expect((await counter.consume('in use')).allowed).to.equal(false)
    expect((await counter.consume('other 0')).left).to.equal(4)
  })

  it('give one request back, and never more than the quota holds', async () => {
    const counter = createCounter({ namespace: 'anonymous', quota })
    const passed = async (bucket: string) =>
      (await Promise.all(Array.from({ length: 20 }, () => counter.consume(bucket)))).filter(({ allowed }) => allowed)
    expect((await counter.consume('a')).left).to.equal(4)
    await counter.refund('a')
    expect(await passed('a')).to.have.length(5)
    await Promise.all([counter.refund('never counted'), counter.refund('never counted')])
    expect(await passed('never counted')).to.have.length(5)
  })
})

/** Bytes held after what nobody needs was collected. */
const used = (): number => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
