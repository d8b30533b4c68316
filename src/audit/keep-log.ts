import type { Database } from '../database/database.js'
import { takeCheckpoint } from './checkpoint.js'
import type { Checkpoint, CheckpointKey } from './checkpoint.js'

export interface LogKeeper {
  stop(): Promise<void>
}

export interface LogKeeperOptions {
  readonly database: Database
  readonly key: CheckpointKey
  /** told of each checkpoint, so that a log that is collected elsewhere holds it too */
  readonly onCheckpoint: (checkpoint: Checkpoint) => void
  readonly onFault: (error: unknown) => void
  readonly everyMs?: number
}

/** Months of the log that are made ahead. */
const MONTHS_AHEAD = 2

/**
 * What the decision log needs beside its entries: the months to come, and every ten minutes, and once more at the end,
 * a signed checkpoint of where its chains stand. Of several processes one does it.
 */
export const keepLog = ({ database, key, onCheckpoint, onFault, everyMs = 600_000 }: LogKeeperOptions): LogKeeper => {
  const checkpoint = async (notWithinSeconds: number) => {
    const taken = await takeCheckpoint(database, key, notWithinSeconds)
    if (taken) onCheckpoint(taken)
  }
  const turn = async () => {
    await database.run({ text: 'select add_decision_months($1)', values: [MONTHS_AHEAD] })
    await checkpoint(everyMs / 2_000)
  }
  let working = turn().catch(onFault)
  const timer = setInterval(() => {
    working = working.then(turn).catch(onFault)
  }, everyMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await working
      // a database that is away at the end takes nothing more; the chains themselves are whole
      await checkpoint(0).catch(onFault)
    },
  }
}
