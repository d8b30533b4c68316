import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'

import { makeTemporaryFolder } from './temporary-folder.js'
import { turnsIn } from './turns.js'

describe('the turns of the workers of a run', () => {
  const twoWorkers = async () => {
    const folder = await makeTemporaryFolder()
    /** Resolves when the door was taken for the nth time: each claim and each release adds an entry. */
    const untilTaken = async (times: number) => {
      const locks = join(folder, 'door', 'locks', 'serve')
      while (!(await readdir(locks)).includes(String(2 * times - 1))) await delay(1)
    }
    return { one: turnsIn(folder, '0'), other: turnsIn(folder, '1'), untilTaken }
  }

  it('let two work beside each other', async () => {
    const { one, other } = await twoWorkers()
    expect(await Promise.all([one.beside(), other.beside()])).to.have.length(2)
  })

  it('give the machine to one when the other has finished, before that one may begin again, and to nobody else until it is released', async () => {
    const { one, other, untilTaken } = await twoWorkers()
    const events: string[] = []
    const working = await one.beside()
    const alone = other.alone().then((lock) => {
      events.push('alone')
      return lock
    })
    await untilTaken(2)
    const again = one.beside().then((lock) => {
      events.push('beside')
      return lock
    })
    // several times what the waiting need to look again
    await delay(100)
    events.push('finished')
    await working.release()
    const held = await alone
    await delay(100)
    events.push('released')
    await held.release()
    await (await again).release()
    expect(events).to.deep.equal(['finished', 'alone', 'released', 'beside'])
  })
})
