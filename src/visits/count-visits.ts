import type { Database } from '../database/database.js'
import { onceAtATime } from '../domain/once.js'
import type { Attempts } from './attempts.js'

/** How many batches are added to the totals at once. */
const BATCHES_AT_ONCE = 150

/** From so many visits on, the next addition waits three times as long: a link's visits then change its totals once. */
const MANY = 1_000

interface CounterOptions {
  readonly database: Pick<Database, 'run'>
  readonly attempts: Attempts
  /** time between two additions to the totals, in milliseconds; if many visits come, three times as long */
  readonly everyMs: number
  /** Called with the error when visits cannot be counted, and with null when some were. */
  readonly onChange: (fault: unknown) => void
  /** Called with the duration of each addition to the totals, in seconds. */
  readonly onCount: ((seconds: number) => void) | undefined
}

/** Has the database add written visits to the totals, including those that other processes wrote. */
export const createCounter = ({ database, attempts, everyMs, onChange, onCount }: CounterOptions) => {
  /** written by this process, but not yet counted */
  let written = 0
  let counted = 0
  let countedAt = Number.NEGATIVE_INFINITY
  let batchesAtOnce = BATCHES_AT_ONCE

  /** After a failure it tries fewer at once: after an outage, all that wait may take longer than a statement may. */
  const count = onceAtATime(async (): Promise<void> => {
    if (!attempts.isDue()) return
    const startedAt = performance.now()
    const counting = written
    try {
      const [row] = await database.run<{ taken: number }>({
        name: 'count_visits',
        text: 'select count_visits($1) as taken',
        values: [batchesAtOnce],
      })
      // fewer than usual may have left ours out: only a call that finds none proves that all are counted
      if (row?.taken === 0 || batchesAtOnce === BATCHES_AT_ONCE) {
        written -= counting
        counted += counting
      }
      batchesAtOnce = Math.min(BATCHES_AT_ONCE, batchesAtOnce * 2)
      onChange(null)
      onCount?.((performance.now() - startedAt) / 1_000)
    } catch (error) {
      batchesAtOnce = Math.ceil(batchesAtOnce / 2)
      // a process without visits of its own leaves reporting to those that have some
      if (counting > 0) {
        onChange(error)
        attempts.fail(error)
      }
    }
    // set at the end, so that a caller of `ifOlder` during this run waits for it
    countedAt = startedAt
  })

  const ifOlder = async (ms: number): Promise<void> => {
    if (performance.now() - countedAt >= ms) await count()
  }
  return {
    /** Notes that this process has written visits. */
    add: (visits: number): void => {
      written += visits
    },
    /** Counts if the totals are older than this, in milliseconds. Never throws, as the others. */
    ifOlder,
    /** Counts if this process has written visits, and the time between two counts has passed. */
    ifDue: async (): Promise<void> => {
      if (written > 0) await ifOlder(written < MANY ? everyMs : 3 * everyMs)
    },
    /** Counts all that this process has written, in two attempts at most. */
    finish: async (): Promise<void> => {
      if (written > 0) await count()
      if (written > 0) await count()
    },
    stats: () => ({ written, counted }),
  }
}
