import { AggregatorRegistry, Registry, type PrometheusContentType } from 'prom-client'

import type { DatabaseObserver } from '../database/observer.js'
import type { JobObserver } from '../jobs/run-jobs.js'
import type { LimiterObserver } from '../layers/1-gateway/rate-limit.js'
import { metricsIn, type MetricsIn } from './metrics-in.js'
import { policyMetrics } from './policy-metrics.js'
import { processMetrics } from './process-metrics.js'
import { requestMetrics } from './request-metrics.js'
import { sourceMetrics } from './source-metrics.js'

const JOB_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DATABASE_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/**
 * The Prometheus metrics of one process. Their names, labels and meaning are part of the contract (docs/metrics.md):
 * dashboards and alerts depend on them. Call it once: a worker reports to its primary only the metrics created last.
 */
export const createMetrics = () => {
  const registry = new AggregatorRegistry<PrometheusContentType>()
  const registries = [registry, processMetrics()]
  // A worker reports these to its primary, which aggregates those of all workers (src/cluster/).
  AggregatorRegistry.setRegistries(registries)
  const metrics = metricsIn(registry)
  const batches = metrics.histogram(
    'linkgate_recorder_batch_duration_seconds',
    'Batches of decision records that were written',
    BATCH_BUCKETS,
  )
  const visitBatches = metrics.histogram(
    'linkgate_visits_batch_duration_seconds',
    'Additions of visits to the totals',
    BATCH_BUCKETS,
  )

  return {
    ...sourceMetrics(metrics),
    ...requestMetrics(metrics),
    ...policyMetrics(metrics),
    pool: poolObserver(metrics),
    limiter: limiterObserver(metrics),
    jobs: jobObserver(metrics),
    /** Observes one written batch of decision records. */
    observeBatch: (seconds: number): void => batches.observe(seconds),
    /** Observes one addition of visits to the totals. */
    observeVisits: (seconds: number): void => visitBatches.observe(seconds),
    /** Linkgate's own metrics; `text` adds those of the process (process-metrics.ts) */
    registry,
    /** the text exposition format */
    text: (): Promise<string> => Registry.merge(registries).metrics(),
    contentType: registry.contentType,
  }
}

export type Metrics = Readonly<ReturnType<typeof createMetrics>>

const poolObserver = ({ counter, histogram }: MetricsIn): DatabaseObserver => {
  const waits = histogram(
    'linkgate_pool_acquire_duration_seconds',
    'How long a query waited for a connection',
    DATABASE_BUCKETS,
  )
  const acquireFailures = counter(
    'linkgate_pool_acquire_failures_total',
    'Queries that got no connection: none was free in time, or none could be opened',
  )
  const lostConnections = counter('linkgate_pool_lost_connections_total', 'Connections that broke, in use or idle')
  const queries = histogram(
    'linkgate_database_duration_seconds',
    'Queries by kind, with the connection in hand',
    DATABASE_BUCKETS,
    ['kind'],
  )
  return {
    acquired: (seconds) => waits.observe(seconds),
    acquireFailed: () => acquireFailures.inc(),
    queried: (kind, seconds) => queries.observe({ kind }, seconds),
    lost: () => lostConnections.inc(),
  }
}

const limiterObserver = ({ counter }: MetricsIn): LimiterObserver => {
  const overQuota = counter('linkgate_limiter_refused_total', 'Requests over a quota', ['quota'])
  const storeErrors = counter(
    'linkgate_limiter_store_errors_total',
    'Requests that the shared store could not count; this process counted them alone',
  )
  return { refused: (quota) => overQuota.inc({ quota }), storeFailed: () => storeErrors.inc() }
}

const jobObserver = ({ counter, histogram }: MetricsIn): JobObserver => {
  const jobRuns = histogram('linkgate_job_duration_seconds', 'Background work that was done', JOB_BUCKETS, ['task'])
  const jobRecords = counter('linkgate_job_records_total', 'Records that background work dealt with', ['task'])
  const jobFailures = counter('linkgate_job_failures_total', 'Background work that failed; it runs again', ['task'])
  return {
    ran: (job, records, seconds) => {
      jobRuns.observe({ task: job }, seconds)
      jobRecords.inc({ task: job }, records)
      jobFailures.inc({ task: job }, 0)
    },
    failed: (job) => jobFailures.inc({ task: job }),
  }
}
