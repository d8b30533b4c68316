import type { Database } from '../database/database.js'
import type { Checkpoint } from './checkpoint.js'
import type { StatementKey } from './signed-statement.js'
import { takeCheckpoint } from './take-checkpoint.js'

interface LogKeeperOptions {
  readonly database: Database
  readonly key: StatementKey
  /** called with each checkpoint, so that logs collected elsewhere contain it too */
  readonly onCheckpoint: (checkpoint: Checkpoint) => void
  readonly onFault: (error: unknown) => void
}

const EVERY_MS = 600_000

/** How many months of partitions exist ahead of time. */
const MONTHS_AHEAD = 2

/**
 * Maintains the decision log: adds the partitions of the coming months, and signs a checkpoint every ten minutes and
 * when it stops. Only one of several processes signs.
 */
export const keepLog = ({ database, key, onCheckpoint, onFault }: LogKeeperOptions) => {
  const checkpoint = async (notWithinSeconds: number) => {
    const taken = await takeCheckpoint(database, key, notWithinSeconds)
    if (taken) onCheckpoint(taken)
  }
  const maintain = async () => {
    // the log is signed even if a partition cannot be added
    await database.run({ text: "select add_months('decisions', $1)", values: [MONTHS_AHEAD] }).catch(onFault)
    await checkpoint(EVERY_MS / 2_000).catch(onFault)
  }
  let working = maintain()
  const timer = setInterval(() => {
    working = working.then(maintain)
  }, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await working
      await checkpoint(0).catch(onFault)
    },
  }
}
