import { Registry, collectDefaultMetrics } from 'prom-client'

import { cacheMetrics } from './cache-metrics.js'
import type { CacheStats } from './cache-metrics.js'
import type { ReplicaStats } from '../database/replica.js'
import { limiterMetrics } from './limiter-metrics.js'
import type { LimiterMetrics } from './limiter-metrics.js'
import { policyMetrics } from './policy-metrics.js'
import type { PolicyMetrics } from './policy-metrics.js'
import { poolMetrics } from './pool-metrics.js'
import type { PoolMetrics } from './pool-metrics.js'
import { recorderMetrics } from './recorder-metrics.js'
import type { RecorderMetrics } from './recorder-metrics.js'
import { replicaMetrics } from './replica-metrics.js'
import { requestMetrics } from './request-metrics.js'
import type { RequestMetrics } from './request-metrics.js'

/**
 * What one process counts, for Prometheus. Names, labels and meaning are part of the outside contract
 * (docs/metrics.md): dashboards and alerts depend on them. All of it stands in one registry, whose gauges say how those
 * of several processes add up.
 */
export interface Metrics extends RequestMetrics {
  readonly policy: PolicyMetrics
  readonly pool: PoolMetrics
  readonly limiter: LimiterMetrics
  readonly recorder: RecorderMetrics
  /** says where the metrics of the redirect cache find it */
  readonly followCache: (stats: () => CacheStats) => void
  /** says where the metrics of the read replica find it */
  readonly followReplica: (stats: () => ReplicaStats) => void
  readonly registry: Registry
  /** the text exposition format */
  readonly text: () => Promise<string>
  readonly contentType: string
}

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    ...requestMetrics(registry),
    policy: policyMetrics(registry),
    pool: poolMetrics(registry),
    limiter: limiterMetrics(registry),
    recorder: recorderMetrics(registry),
    followCache: cacheMetrics(registry),
    followReplica: replicaMetrics(registry),
    registry,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
