import { mkdir, readdir } from 'node:fs/promises'

import { waitForLock } from '../../src/database/embedded/crash-safe-lock.js'
import type { Lock } from '../../src/database/embedded/crash-safe-lock.js'

const DOOR = 'door'
const WORKER = 'worker-'
/** longer than any file of tests takes: whoever died is overtaken at once */
const PATIENCE_MS = 1_800_000

/** Who may run beside whom, among the processes of one run of the tests. */
export interface Turns {
  /** Waits until no other has the machine alone, and keeps it from being taken alone until the release. */
  beside(): Promise<Lock>
  /** Waits until no other is at work, and keeps everybody out until the release. */
  alone(): Promise<Lock>
}

/**
 * The turns of one worker, by locks in a folder that all workers of the run share. A worker that dies holds nobody up.
 */
export const turnsIn = (folder: string, worker: string): Turns => {
  const take = async (name: string): Promise<Lock> => {
    const lock = await waitForLock(folder, name, PATIENCE_MS)
    if ('release' in lock) return lock
    throw new Error(`process ${lock.holder.pid} has been at work for too long`)
  }
  return {
    beside: async () => {
      const door = await take(DOOR)
      try {
        return await take(`${WORKER}${worker}`)
      } finally {
        await door.release()
      }
    },
    alone: async () => {
      const door = await take(DOOR)
      await mkdir(folder, { recursive: true })
      const files = (await readdir(folder)).filter((file) => file.startsWith(WORKER))
      // nobody comes in any more: whoever has gone out stays out
      for (const name of new Set(files.map((file) => file.slice(0, file.indexOf('.')))))
        await (await take(name)).release()
      return door
    },
  }
}
