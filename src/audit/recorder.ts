import type { Database } from '../database/database.js'
import { AUDIT_WRITER, insertDecisions } from '../database/decision-log.js'
import { enter } from '../database/enter.js'
import type { DecisionRecord } from '../domain/decision-record.js'

/** What the recorder reports. Totals only grow. */
export interface RecorderStats {
  /** records that wait for the next batch */
  readonly waiting: number
  /** records that were dropped since the start, because too many waited */
  readonly lost: number
  /** batches that could not be written since the start; their records wait */
  readonly failures: number
}

interface RecorderOptions {
  readonly database: Pick<Database, 'flush'>
  /** called when writing begins to fail, once per outage */
  readonly onFault: (error: unknown, lost: number) => void
  /** milliseconds between batches: what a crash can lose */
  readonly intervalMs?: number
  /** called with the duration of each batch that was written */
  readonly onBatch?: (seconds: number) => void
}

/** Records queued while the database is away. Beyond it the newest are dropped and counted. */
const MOST_WAITING = 10_000
const BATCH = 500

/**
 * Writes the decisions that no transaction of a request carries (refusals, allowed reads), in batches. A change is not
 * recorded here: its record commits with it.
 */
export const createRecorder = ({ database, onFault, intervalMs = 250, onBatch }: RecorderOptions) => {
  let waiting: DecisionRecord[] = []
  let lost = 0
  let failures = 0
  let failing = false
  let writing: Promise<void> | undefined

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      const startedAt = performance.now()
      try {
        await database.flush([enter(AUDIT_WRITER, null), insertDecisions(batch)])
      } catch (error) {
        const kept = [...batch, ...waiting]
        waiting = kept.slice(0, MOST_WAITING)
        lost += kept.length - waiting.length
        failures += 1
        if (!failing) onFault(error, lost)
        failing = true
        return
      }
      failing = false
      onBatch?.((performance.now() - startedAt) / 1_000)
    }
  }
  const timer = setInterval(() => {
    // skips the tick while a write is pending: an outage would queue one for every tick, and close() would wait for all
    writing ??= write().finally(() => {
      writing = undefined
    })
  }, intervalMs)
  timer.unref()
  return {
    stats: (): RecorderStats => ({ waiting: waiting.length, lost, failures }),
    /** Queues a record for the next batch. */
    record: (record: DecisionRecord) => {
      if (waiting.length < MOST_WAITING) waiting.push(record)
      else lost += 1
    },
    /** Writes what is queued, and stops. Two writes at the most while the database is away. */
    close: async () => {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
