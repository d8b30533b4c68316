import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { StartError } from '../../src/domain/start-error.js'
import { claimDataDir } from '../../src/embedded-postgres/embedded-postgres.js'
import { until } from './until.js'

const GATE = 'gate'
const WORKER = 'worker-'
/** Longer than the whole suite takes. */
const WITHIN_MS = 1_800_000
const EVERY_MS = 20

export interface HeldLock {
  release(): Promise<void>
}

/** A readers-writer lock among the processes of one run of the tests. */
export interface MachineLock {
  /** Waits until nobody holds the lock exclusively. */
  shared(): Promise<HeldLock>
  /** Waits until nobody else holds the lock; nobody gets it until the release. */
  exclusive(): Promise<HeldLock>
}

/** Locks a folder as soon as it is free. The lock ends with its process, however that ends. */
const lock = (folder: string): Promise<HeldLock> =>
  until(
    `the lock of ${folder}`,
    () =>
      claimDataDir(folder).catch((error: unknown) => {
        if (error instanceof StartError) return undefined
        throw error
      }),
    { withinMs: WITHIN_MS, everyMs: EVERY_MS },
  )

/** The lock as one worker takes it; `folder` is the same for all workers of the run. */
export const machineLock = (folder: string, worker: string): MachineLock => ({
  shared: async () => {
    const gate = await lock(join(folder, GATE))
    try {
      return await lock(join(folder, `${WORKER}${worker}`))
    } finally {
      await gate.release()
    }
  },
  exclusive: async () => {
    const gate = await lock(join(folder, GATE))
    await mkdir(folder, { recursive: true })
    const workers = (await readdir(folder)).filter((name) => name.startsWith(WORKER))
    // nobody passes the gate any more, so a worker that has released its lock does not take it again
    for (const name of workers) await (await lock(join(folder, name))).release()
    return gate
  },
})
