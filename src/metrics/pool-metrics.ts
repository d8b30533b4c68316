import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

import type { DatabaseObserver } from '../database/observer.js'
import type { PoolStats } from '../database/pool.js'
import { createHistogram } from './histogram.js'

export interface PoolMetrics {
  /** what the pool tells of each question */
  readonly observer: DatabaseObserver
  /** where the gauges find the pool's state */
  readonly follow: (stats: () => PoolStats) => void
}

const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export const poolMetrics = (registry: Registry): PoolMetrics => {
  const registers = [registry]
  let stats: () => PoolStats = () => ({ total: 0, idle: 0, waiting: 0, limit: 0 })
  const gauge = (name: string, help: string, member: keyof PoolStats) =>
    new Gauge({
      name: `linkgate_pool_${name}`,
      help,
      aggregator: 'sum',
      registers,
      collect() {
        this.set(stats()[member])
      },
    })
  gauge('connections', 'Connections to the database that are open', 'total')
  gauge('idle_connections', 'Open connections that nobody uses', 'idle')
  gauge('waiting', 'Questions that wait for a connection', 'waiting')
  gauge('size_limit', 'Connections that may be open', 'limit')
  const waits = createHistogram({
    name: 'linkgate_pool_acquire_duration_seconds',
    help: 'How long a question waited for a connection',
    labelNames: [],
    buckets: BUCKETS,
    registers,
  })
  const failed = new Counter({
    name: 'linkgate_pool_acquire_failures_total',
    help: 'Questions that got no connection: none was free in time, or none could be opened',
    registers,
  })
  const lost = new Counter({
    name: 'linkgate_pool_lost_connections_total',
    help: 'Connections that broke, in use or idle',
    registers,
  })
  const questions = createHistogram({
    name: 'linkgate_database_duration_seconds',
    help: 'Questions to the database by kind, with the connection in hand; of kind "change" with the changes that it waited for',
    labelNames: ['kind'],
    buckets: BUCKETS,
    registers,
  })
  return {
    observer: {
      acquired: (seconds) => waits.observe(seconds),
      acquireFailed: () => failed.inc(),
      asked: (kind, seconds) => questions.observe(seconds, kind),
      lost: () => lost.inc(),
    },
    follow: (given) => {
      stats = given
    },
  }
}
