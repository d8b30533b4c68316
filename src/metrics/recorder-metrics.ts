import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** The decision log's recorder, as it stands. Totals only grow. */
export interface RecorderStats {
  /** records that wait for the next batch */
  readonly waiting: number
  /** records that were dropped since the start, because too many waited */
  readonly lost: number
  /** batches that could not be written since the start; their records wait */
  readonly failures: number
}

export interface RecorderMetrics {
  /** one batch that was written */
  readonly observeBatch: (seconds: number) => void
  readonly follow: (stats: () => RecorderStats) => void
}

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export const recorderMetrics = (registry: Registry): RecorderMetrics => {
  const registers = [registry]
  let stats: () => RecorderStats = () => ({ waiting: 0, lost: 0, failures: 0 })
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_recorder_waiting',
      help: 'Decision records that wait to be written',
      aggregator: 'sum',
      registers: [],
      collect() {
        this.set(stats().waiting)
      },
    }),
  )
  const total = (name: string, help: string, member: 'lost' | 'failures') =>
    new Counter({
      name: `linkgate_recorder_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(stats()[member])
      },
    })
  total('lost', 'Decision records that were dropped, because too many waited', 'lost')
  total('write_failures', 'Batches of decision records that could not be written; their records wait', 'failures')
  const batches = new Histogram({
    name: 'linkgate_recorder_batch_duration_seconds',
    help: 'Batches of decision records that were written',
    buckets: BUCKETS,
    registers,
  })
  return {
    observeBatch: (seconds) => batches.observe(seconds),
    follow: (given) => {
      stats = given
    },
  }
}
