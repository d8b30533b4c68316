import type { Database } from '../database/database.js'
import { DECISION_COLUMNS, DECISION_COLUMN_NAMES } from '../domain/decision-record.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { RecorderStats } from '../metrics/metrics.js'

export interface Recorder {
  /** Takes a record to be written with the next batch. */
  record(record: DecisionRecord): void
  /** Writes what is waiting, and stops. */
  close(): Promise<void>
  stats(): RecorderStats
}

export interface RecorderOptions {
  readonly database: Pick<Database, 'flush'>
  /** told once when writing begins to fail */
  readonly onFault: (error: unknown, lost: number) => void
  /** how long a record waits at the most, in milliseconds: what a crash can lose */
  readonly intervalMs?: number
  /** told of each batch that was written */
  readonly onBatch?: (seconds: number) => void
}

/** Records that wait while the database is away. Beyond it the newest are dropped, and their number is told. */
const MOST_WAITING = 10_000
const BATCH = 500

const NAMES = DECISION_COLUMN_NAMES.join(', ')
const TYPED = Object.entries(DECISION_COLUMNS)
  .map((column) => column.join(' '))
  .join(', ')
const INSERT = `insert into decisions (${NAMES}) select ${NAMES} from jsonb_to_recordset($1::jsonb) as d (${TYPED})`

/**
 * Writes decisions that no transaction of a request carries (refusals, allowed reads) in small batches beside the
 * requests. A crash loses at most those of the last `intervalMs` (250). Mutations are not here: their record commits
 * with them.
 */
export const createRecorder = ({ database, onFault, intervalMs = 250, onBatch }: RecorderOptions): Recorder => {
  let waiting: DecisionRecord[] = []
  let lost = 0
  let failures = 0
  let failing = false
  let writing: Promise<void> | undefined

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      const began = performance.now()
      try {
        await database.flush([
          { name: 'enter', text: 'select enter($1, $2)', values: ['audit_writer', null] },
          { name: 'record_decisions', text: INSERT, values: [JSON.stringify(batch)] },
        ])
      } catch (error) {
        // kept for the next batch, oldest first
        const kept = [...batch, ...waiting]
        waiting = kept.slice(0, MOST_WAITING)
        lost += kept.length - waiting.length
        failures += 1
        if (!failing) onFault(error, lost)
        failing = true
        return
      }
      failing = false
      onBatch?.((performance.now() - began) / 1_000)
    }
  }
  // One batch at a time: a tick that meets a pending write is skipped, or an outage would queue one for each tick.
  const writeUnlessPending = () => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }
  const timer = setInterval(writeUnlessPending, intervalMs)
  timer.unref()
  return {
    stats: () => ({ waiting: waiting.length, lost, failures }),
    record: (record) => {
      if (waiting.length < MOST_WAITING) waiting.push(record)
      else lost += 1
    },
    close: async () => {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
