import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'

import { machineLock } from './machine-lock.js'
import { makeTemporaryFolder } from './temporary-folder.js'
import { until } from './until.js'

describe('the lock that test workers share', () => {
  const twoWorkers = async () => {
    const folder = await makeTemporaryFolder()
    /** Resolves when the gate was locked for the nth time: each claim and each release adds an entry. */
    const untilLocked = (times: number) =>
      until(`the gate is locked ${times} times`, async () =>
        (await readdir(join(folder, 'gate', 'locks', 'serve'))).includes(String(2 * times - 1)),
      )
    return { one: machineLock(folder, '0'), other: machineLock(folder, '1'), untilLocked }
  }

  it('is held by two at once when shared', async () => {
    const { one, other } = await twoWorkers()
    expect(await Promise.all([one.shared(), other.shared()])).to.have.length(2)
  })

  it('is exclusive once the other released it, before that one gets it again, and until its own release', async () => {
    const { one, other, untilLocked } = await twoWorkers()
    const events: string[] = []
    const working = await one.shared()
    const exclusive = other.exclusive().then((held) => {
      events.push('exclusive')
      return held
    })
    await untilLocked(2)
    const again = one.shared().then((held) => {
      events.push('shared')
      return held
    })
    // several times the interval at which the waiting look again
    await delay(100)
    events.push('released by one')
    await working.release()
    const held = await exclusive
    await delay(100)
    events.push('released by other')
    await held.release()
    await (await again).release()
    expect(events).to.deep.equal(['released by one', 'exclusive', 'released by other', 'shared'])
  })
})
