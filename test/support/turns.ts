import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { StartError } from '../../src/domain/start-error.js'
import { claimDataDir } from '../../src/embedded-postgres/embedded-postgres.js'

const DOOR = 'door'
const WORKER = 'worker-'
/** longer than any file of tests takes: whoever died is overtaken at once */
const PATIENCE_MS = 1_800_000
const POLL_MS = 20

export interface Turn {
  release(): Promise<void>
}

/** Who may run beside whom, among the processes of one run of the tests. */
export interface Turns {
  /** Waits until no other has the machine alone, and keeps it from being taken alone until the release. */
  beside(): Promise<Turn>
  /** Waits until no other is at work, and keeps everybody out until the release. */
  alone(): Promise<Turn>
}

/** Claims the folder as soon as nobody has it: a claim ends with its process, however that ends. */
const claim = async (folder: string): Promise<Turn> => {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await claimDataDir(folder)
    } catch (error) {
      if (!(error instanceof StartError) || Date.now() > until) throw error
      await delay(POLL_MS)
    }
  }
}

/** The turns of one worker, by claims of folders that all workers of the run share. */
export const turnsIn = (folder: string, worker: string): Turns => ({
  beside: async () => {
    const door = await claim(join(folder, DOOR))
    try {
      return await claim(join(folder, `${WORKER}${worker}`))
    } finally {
      await door.release()
    }
  },
  alone: async () => {
    const door = await claim(join(folder, DOOR))
    await mkdir(folder, { recursive: true })
    const workers = (await readdir(folder)).filter((name) => name.startsWith(WORKER))
    // nobody comes in any more: whoever has gone out stays out
    for (const name of workers) await (await claim(join(folder, name))).release()
    return door
  },
})
