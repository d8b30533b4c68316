import { EventEmitter } from 'node:events'

import { expect } from 'chai'

import type { ToWorker } from '../../src/cluster/message.js'
import { openPrimaryLink } from '../../src/cluster/primary-link.js'

/** A worker's link over a channel that the test holds the other end of. */
const openLink = () => {
  const channel = Object.assign(new EventEmitter(), { connected: false })
  const say = (message: ToWorker) => channel.emit('message', message)
  return { link: openPrimaryLink(channel), say }
}

describe('a worker’s link to its primary', () => {
  it('keeps a stop that is said before the worker listens, and the last one where there were two', () => {
    const { link, say } = openLink()
    const heard: boolean[] = []
    say({ kind: 'stop', now: false, idleMs: 0 })
    say({ kind: 'stop', now: true, idleMs: 0 })
    link.onStop(({ now }) => heard.push(now))
    say({ kind: 'stop', now: false, idleMs: 0 })
    expect(heard).to.deep.equal([true, false])
  })

  it('rejects what it would ask of a primary that is gone', async () => {
    const { link } = openLink()
    const failure = await link.count('user', 'bucket').then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(Error).with.property('message', 'the primary does not answer')
  })
})
