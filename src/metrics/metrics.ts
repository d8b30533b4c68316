import { AggregatorRegistry, Registry } from 'prom-client'
import type { PrometheusContentType } from 'prom-client'

import type { RecorderStats } from '../audit/recorder.js'
import type { DatabaseObserver } from '../database/observer.js'
import type { PoolStats } from '../database/pool.js'
import type { ReplicaStats } from '../database/replica.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import type { JobObserver } from '../jobs/run-jobs.js'
import type { LimiterObserver } from '../layers/1-gateway/rate-limit.js'
import type { PolicyStatus } from '../policy/current.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { CacheStats } from '../redirects/link-cache.js'
import type { VisitStats } from '../visits/visits.js'
import { boundedLabel } from './bounded-label.js'
import { metricsIn } from './metrics-in.js'
import { processMetrics } from './process-metrics.js'

/** Values that are read when metrics are collected, instead of being counted here. */
interface Sources {
  readonly policy: () => PolicyStatus
  readonly pool: () => PoolStats
  readonly recorder: () => RecorderStats
  readonly cache: () => CacheStats
  readonly replica: () => ReplicaStats
  readonly visits: () => VisitStats
  /** open streams of live visits */
  readonly listeners: () => number
  /** true while Redis counts limits for all nodes */
  readonly limitsShared: () => boolean
}

/** `load` of createCurrentPolicy: the newest snapshot, or null if the revision `known` is still the newest. */
type LoadPolicy = (known: number | null) => Promise<Snapshot | null>

/**
 * The Prometheus metrics of one process. Their names, labels and meaning are part of the contract (docs/metrics.md):
 * dashboards and alerts depend on them.
 */
export interface Metrics {
  /** Sets the sources of values that are read at collection. Until then they are zero, or off. */
  readonly readFrom: (sources: Partial<Sources>) => void
  /** Counts one decision, by effect, rule (or the refusal's code) and layer. */
  readonly countDecision: (decision: Pick<DecisionRecord, 'effect' | 'rule' | 'layer'>) => void
  /** Observes one finished request, refused or not. `route` is the path's pattern, so callers cannot invent labels. */
  readonly observeRequest: (request: FinishedRequest) => void
  /** Counts a request that the data layer refused although the layers before it allowed it. */
  readonly countDisagreement: () => void
  /** Observes one written batch of decision records. */
  readonly observeBatch: (seconds: number) => void
  /** Observes one addition of visits to the totals. */
  readonly observeVisits: (seconds: number) => void
  readonly pool: DatabaseObserver
  readonly limiter: LimiterObserver
  readonly jobs: JobObserver
  /** Wraps a load, to time it. */
  readonly timeLoads: (load: LoadPolicy) => LoadPolicy
  /**
   * Wraps a snapshot that comes into force: times each `can`, and keeps its number of rows and its age for the gauges.
   * `madeAt` returns when a revision was made. It runs in the background; if it fails, the age is omitted.
   */
  readonly timeDecisions: (madeAt: (revision: number) => Promise<Date | null>) => (snapshot: Snapshot) => Snapshot
  /** Linkgate's own metrics; `text` adds those of the process (process-metrics.ts) */
  readonly registry: Registry
  /** the text exposition format */
  readonly text: () => Promise<string>
  readonly contentType: string
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const DECISION_BUCKETS = [2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 1e-3, 1e-2]
const LOAD_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DATABASE_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const MAX_RULES = 200

/**
 * Creates the metrics of a process. Call it once: a worker reports to its primary only the metrics created last. At
 * most 200 rules get a label of their own.
 */
export const createMetrics = (): Metrics => {
  const registry = new AggregatorRegistry<PrometheusContentType>()
  const registries = [registry, processMetrics()]
  // A worker reports these to its primary, which aggregates those of all workers (src/cluster/).
  AggregatorRegistry.setRegistries(registries)
  const { counter, histogram, gauge, total } = metricsIn(registry)

  let sources: Sources = {
    policy: () => ({ revision: null, fault: null, unreached: false }),
    pool: () => ({ total: 0, idle: 0, waiting: 0, limit: 0 }),
    recorder: () => ({ waiting: 0, lost: 0, failures: 0 }),
    cache: () => ({ hits: 0, misses: 0, negativeHits: 0, invalidations: 0, entries: 0, off: true }),
    replica: () => ({ reads: 0, fallbacks: 0, leftOut: false }),
    visits: () => ({ waiting: 0, counted: 0, previews: 0, dropped: 0 }),
    listeners: () => 0,
    limitsShared: () => false,
  }

  // requests
  const requests = histogram(
    'linkgate_http_request_duration_seconds',
    'Requests by method, route and status, until the answer was sent',
    REQUEST_BUCKETS,
    ['method', 'route', 'status'],
  )
  const refusals = counter(
    'linkgate_refusals_total',
    'Refused requests by the layer that refused and the stable code',
    ['layer', 'code'],
  )
  const decisions = counter('linkgate_decisions_total', 'Decisions by effect, rule and layer', [
    'effect',
    'rule',
    'layer',
  ])
  const disagreements = counter(
    'linkgate_layer_disagreements_total',
    'Requests that the data layer refused though the layers before it let them through',
  )
  const ruleLabel = boundedLabel(MAX_RULES)

  // policy: the aggregates report the process that is furthest behind
  let checkedAt: number | null = null
  let inForce: { readonly madeAt: Date | null; readonly rows: number } = { madeAt: null, rows: 0 }
  gauge('linkgate_policy_revision', 'Policy revision in force', 'min', () => sources.policy().revision ?? 0)
  gauge(
    'linkgate_policy_load_failed',
    '1 while the newest revision could not be loaded and the last good one is in force',
    'max',
    () => sources.policy().fault !== null,
  )
  gauge('linkgate_policy_rows', 'Rows of the revision in force', 'max', () => inForce.rows)
  gauge('linkgate_policy_age_seconds', 'Seconds since the revision in force was made', 'max', () =>
    inForce.madeAt === null ? null : Math.max(0, (Date.now() - inForce.madeAt.getTime()) / 1_000),
  )
  gauge(
    'linkgate_policy_check_age_seconds',
    'Seconds since the database last confirmed which revision is in force',
    'max',
    () => (checkedAt === null ? null : (performance.now() - checkedAt) / 1_000),
  )
  const loads = histogram(
    'linkgate_policy_load_duration_seconds',
    'Loads of a new revision: read, parse, build, check the invariants',
    LOAD_BUCKETS,
  )
  const decisionTimes = histogram(
    'linkgate_decision_duration_seconds',
    'One call of can(), without loading the record',
    DECISION_BUCKETS,
  )

  // database
  gauge('linkgate_pool_connections', 'Connections to the database that are open', 'sum', () => sources.pool().total)
  gauge('linkgate_pool_idle_connections', 'Open connections that nobody uses', 'sum', () => sources.pool().idle)
  gauge('linkgate_pool_waiting', 'Queries that wait for a connection', 'sum', () => sources.pool().waiting)
  gauge('linkgate_pool_size_limit', 'Connections that may be open', 'sum', () => sources.pool().limit)
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
  total('linkgate_replica_reads_total', 'Public redirects that the replica answered', () => sources.replica().reads)
  total(
    'linkgate_replica_fallbacks_total',
    'Public redirects that asked the primary because the replica was left out or failed',
    () => sources.replica().fallbacks,
  )
  gauge('linkgate_replica_left_out', '1 while a configured replica is not used', 'max', () => sources.replica().leftOut)

  // limits
  const overQuota = counter('linkgate_limiter_refused_total', 'Requests over a quota', ['quota'])
  const storeErrors = counter(
    'linkgate_limiter_store_errors_total',
    'Requests that the shared store could not count; this process counted them alone',
  )
  gauge('linkgate_limiter_shared', '1 while Redis counts for all nodes, 0 while each node counts alone', 'min', () =>
    sources.limitsShared(),
  )

  // decision log
  gauge(
    'linkgate_recorder_waiting',
    'Decision records that wait to be written',
    'sum',
    () => sources.recorder().waiting,
  )
  total(
    'linkgate_recorder_lost_total',
    'Decision records that were dropped, because too many waited',
    () => sources.recorder().lost,
  )
  total(
    'linkgate_recorder_write_failures_total',
    'Batches of decision records that could not be written; their records wait',
    () => sources.recorder().failures,
  )
  const batches = histogram(
    'linkgate_recorder_batch_duration_seconds',
    'Batches of decision records that were written',
    BATCH_BUCKETS,
  )

  // background work
  const jobRuns = histogram('linkgate_job_duration_seconds', 'Background work that was done', LOAD_BUCKETS, ['task'])
  const jobRecords = counter('linkgate_job_records_total', 'Records that background work dealt with', ['task'])
  const jobFailures = counter('linkgate_job_failures_total', 'Background work that failed; it runs again', ['task'])

  // visits
  gauge('linkgate_visits_waiting', 'Visits that wait to be counted', 'sum', () => sources.visits().waiting)
  total('linkgate_visits_written_total', 'Visits that were counted in the database', () => sources.visits().counted)
  total(
    'linkgate_visits_previews_total',
    'Links that a messenger fetched to show where they lead, which are no visits',
    () => sources.visits().previews,
  )
  total(
    'linkgate_visits_dropped_total',
    'Visits that were not counted: too many waited, or the database refused them',
    () => sources.visits().dropped,
  )
  gauge('linkgate_visits_listeners', 'Streams of live visits that are open', 'sum', () => sources.listeners())
  const visitBatches = histogram(
    'linkgate_visits_batch_duration_seconds',
    'Additions of visits to the totals',
    BATCH_BUCKETS,
  )

  // redirect cache
  total('linkgate_cache_hits_total', 'Public redirects that were answered from the cache', () => sources.cache().hits)
  total('linkgate_cache_misses_total', 'Public redirects that asked the database', () => sources.cache().misses)
  total(
    'linkgate_cache_negative_hits_total',
    'Public redirects to codes that were cached as having no link',
    () => sources.cache().negativeHits,
  )
  total(
    'linkgate_cache_invalidations_total',
    'Codes that were invalidated because they changed, cached or not',
    () => sources.cache().invalidations,
  )
  gauge('linkgate_cache_entries', 'Cached codes', 'sum', () => sources.cache().entries)
  gauge(
    'linkgate_cache_off',
    '1 while no redirect is served from the cache unless the database is down',
    'max',
    () => sources.cache().off,
  )

  return {
    readFrom: (given) => {
      sources = { ...sources, ...given }
    },
    countDecision: ({ effect, rule, layer }) => decisions.inc({ effect, rule: ruleLabel(rule), layer }),
    observeRequest: ({ method, route, status, seconds, refusal }) => {
      requests.observe({ method, route, status }, seconds)
      if (refusal !== undefined) refusals.inc({ layer: refusal.layer, code: refusal.code })
    },
    countDisagreement: () => disagreements.inc(),
    observeBatch: (seconds) => batches.observe(seconds),
    observeVisits: (seconds) => visitBatches.observe(seconds),
    jobs: {
      ran: (job, records, seconds) => {
        jobRuns.observe({ task: job }, seconds)
        jobRecords.inc({ task: job }, records)
        jobFailures.inc({ task: job }, 0)
      },
      failed: (job) => jobFailures.inc({ task: job }),
    },
    pool: {
      acquired: (seconds) => waits.observe(seconds),
      acquireFailed: () => acquireFailures.inc(),
      queried: (kind, seconds) => queries.observe({ kind }, seconds),
      lost: () => lostConnections.inc(),
    },
    limiter: { refused: (quota) => overQuota.inc({ quota }), storeFailed: () => storeErrors.inc() },
    timeLoads: (load) => async (known) => {
      const startedAt = performance.now()
      const snapshot = await load(known)
      checkedAt = performance.now()
      if (snapshot !== null) loads.observe((checkedAt - startedAt) / 1_000)
      return snapshot
    },
    timeDecisions: (madeAt) => (snapshot) => {
      checkedAt = performance.now()
      const entered = { rows: snapshot.rows.length, madeAt: null }
      inForce = entered
      const keepAge = (time: Date | null) => {
        if (inForce === entered) inForce = { ...entered, madeAt: time }
      }
      void madeAt(snapshot.revision).then(keepAge, () => undefined)
      return Object.freeze<Snapshot>({
        ...snapshot,
        can: (user, action, record) => {
          const startedAt = performance.now()
          const allowed = snapshot.can(user, action, record)
          decisionTimes.observe((performance.now() - startedAt) / 1_000)
          return allowed
        },
      })
    },
    registry,
    text: () => Registry.merge(registries).metrics(),
    contentType: registry.contentType,
  }
}
