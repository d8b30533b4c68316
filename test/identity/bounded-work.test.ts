import { expect } from 'chai'

import { boundedWork } from '../../src/identity/bounded-work.js'

describe('bounded work', () => {
  it('never runs more at once than it may, keeps the order, and frees the place of work that failed', async () => {
    const bounded = boundedWork({ atOnce: 2, waiting: 100 })
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
})
