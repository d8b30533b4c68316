import type { RecorderStats } from '../audit/recorder.js'
import type { PoolStats } from '../database/pool.js'
import type { ReplicaStats } from '../database/replica.js'
import type { PolicyStatus } from '../policy/current.js'
import type { CacheStats } from '../redirects/link-cache.js'
import type { VisitStats } from '../visits/visits.js'
import type { MetricsIn } from './metrics-in.js'

/** Where values that nobody counts here are read when metrics are collected. */
export interface Sources {
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

const NOTHING_YET: Sources = {
  policy: () => ({ revision: null, fault: null, differs: false, unreached: false }),
  pool: () => ({ total: 0, idle: 0, waiting: 0, limit: 0 }),
  recorder: () => ({ waiting: 0, lost: 0, failures: 0 }),
  cache: () => ({ hits: 0, misses: 0, negativeHits: 0, invalidations: 0, entries: 0, off: true }),
  replica: () => ({ reads: 0, fallbacks: 0, leftOut: false }),
  visits: () => ({ waiting: 0, counted: 0, previews: 0, dropped: 0 }),
  listeners: () => 0,
  limitsShared: () => false,
}

/** The metrics that are read at collection. */
export const sourceMetrics = ({ gauge, total }: MetricsIn) => {
  let sources = NOTHING_YET

  // of several processes, the one that is furthest behind
  gauge('linkgate_policy_revision', 'Policy revision in force', 'min', () => sources.policy().revision ?? 0)
  gauge(
    'linkgate_policy_load_failed',
    '1 while the newest revision could not be loaded and the last good one is in force',
    'max',
    () => sources.policy().fault !== null,
  )

  gauge('linkgate_pool_connections', 'Connections to the database that are open', 'sum', () => sources.pool().total)
  gauge('linkgate_pool_idle_connections', 'Open connections that nobody uses', 'sum', () => sources.pool().idle)
  gauge('linkgate_pool_waiting', 'Queries that wait for a connection', 'sum', () => sources.pool().waiting)
  gauge('linkgate_pool_size_limit', 'Connections that may be open', 'sum', () => sources.pool().limit)

  total('linkgate_replica_reads_total', 'Public redirects that the replica answered', () => sources.replica().reads)
  total(
    'linkgate_replica_fallbacks_total',
    'Public redirects that asked the primary because the replica was left out or failed',
    () => sources.replica().fallbacks,
  )
  gauge('linkgate_replica_left_out', '1 while a configured replica is not used', 'max', () => sources.replica().leftOut)

  gauge('linkgate_limiter_shared', '1 while Redis counts for all nodes, 0 while each node counts alone', 'min', () =>
    sources.limitsShared(),
  )

  gauge(
    'linkgate_recorder_waiting',
    'Decision records that wait to be written',
    'sum',
    () => sources.recorder().waiting,
  )
  total(
    'linkgate_recorder_lost_total',
    'Decision records that were dropped: too many waited, or the database refused them',
    () => sources.recorder().lost,
  )
  total(
    'linkgate_recorder_write_failures_total',
    'Batches of decision records that could not be written; their records wait',
    () => sources.recorder().failures,
  )

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
    /** Sets sources. Until then their values are zero, or off. */
    readFrom: (given: Partial<Sources>): void => {
      sources = { ...sources, ...given }
    },
  }
}
