import type { Database } from '../database/database.js'
import { AUDIT_WRITER, insertDecisions } from '../database/decision-log.js'
import { isUnstorable } from '../database/errors.js'
import { enter } from '../database/statement.js'
import type { DecisionRecord } from '../domain/decision-record.js'

/** The recorder's counters. Totals only grow. */
export interface RecorderStats {
  /** records that are not written yet */
  readonly waiting: number
  /** records dropped since the start: too many were waiting, or the database refused them */
  readonly lost: number
  /** failed batch writes since the start; their records wait for the next attempt */
  readonly failures: number
}

interface RecorderOptions {
  readonly database: Pick<Database, 'flush'>
  /** called when writing begins to fail, once per outage */
  readonly onFault: (error: unknown, lost: number) => void
  /** called with the duration of each batch that was written */
  readonly onBatch?: (seconds: number) => void
}

/** The time between two batches. A crash loses at most the records of this time. */
const INTERVAL_MS = 250
/** The most records queued while the database is away. Beyond that, the newest are dropped and counted. */
const MOST_WAITING = 10_000
const BATCH = 500

/**
 * Writes the decisions that are not part of a request's transaction (refusals, allowed reads), in batches. Changes are
 * not recorded here: their records commit with them.
 */
export const createRecorder = ({ database, onFault, onBatch }: RecorderOptions) => {
  const waiting: DecisionRecord[] = []
  let lost = 0
  let failures = 0
  let failing = false
  let writing: Promise<void> | undefined

  const write = async () => {
    let size = BATCH
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size)
      const startedAt = performance.now()
      try {
        await database.flush([enter(AUDIT_WRITER, null), insertDecisions(batch)])
      } catch (error) {
        failures += 1
        const refused = isUnstorable(error)
        // halved until the record that the database refuses is alone
        if (refused && batch.length > 1) {
          size = Math.ceil(batch.length / 2)
          continue
        }
        if (refused) lost += waiting.splice(0, 1).length
        if (!failing) onFault(error, lost)
        failing = true
        if (!refused) return
        continue
      }
      waiting.splice(0, batch.length)
      size = BATCH
      failing = false
      onBatch?.((performance.now() - startedAt) / 1_000)
    }
  }
  const timer = setInterval(() => {
    // skips the tick while a write is pending: an outage would queue one for every tick, and close() would wait for all
    writing ??= write().finally(() => {
      writing = undefined
    })
  }, INTERVAL_MS)
  timer.unref()
  return {
    stats: (): RecorderStats => ({ waiting: waiting.length, lost, failures }),
    /** Queues a record for the next batch. */
    record: (record: DecisionRecord) => {
      if (waiting.length < MOST_WAITING) waiting.push(record)
      else lost += 1
    },
    /** Writes the queued records, and stops. Makes at most two attempts while the database is away. */
    close: async () => {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
