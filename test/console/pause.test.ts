import { getEventListeners } from 'node:events'

import { expect } from 'chai'

import { countDown, pause, waitBefore } from '../../src/console/parts/pause.js'

describe('a pause of the console', () => {
  it('leaves nothing at the signal of its page, which pauses again and again', async () => {
    const { signal } = new AbortController()
    await pause(1, signal)
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
  })

  it('ends with its page, also where that ended before', async () => {
    const ended = new AbortController()
    const paused = pause(3_600_000, ended.signal)
    ended.abort()
    await paused
    await pause(3_600_000, ended.signal)
    expect(getEventListeners(ended.signal, 'abort')).to.have.length(0)
  })

  it('is twice as long before each try, a minute at most', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map(waitBefore)).to.deep.equal([2, 4, 8, 16, 32, 60, 60])
  })

  it('is counted down for whoever waits, until the page ends', async () => {
    const ended = new AbortController()
    const told: number[] = []
    await countDown(3, ended.signal, (left) => {
      told.push(left)
      if (told.length === 1) ended.abort()
    })
    expect(told).to.deep.equal([16])
  })
})
