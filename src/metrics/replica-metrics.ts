import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

import type { ReplicaStats } from '../database/replica.js'

const NO_REPLICA: ReplicaStats = { reads: 0, fallbacks: 0, leftOut: false }

/**
 * Registers the metrics of the read replica; answers the function that says where they find it. Without one, all are 0.
 */
export const replicaMetrics = (registry: Registry): ((stats: () => ReplicaStats) => void) => {
  const registers = [registry]
  let stats: () => ReplicaStats = () => NO_REPLICA
  const total = (name: string, help: string, member: 'reads' | 'fallbacks') =>
    new Counter({
      name: `linkgate_replica_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(stats()[member])
      },
    })
  total('reads', 'Public redirects that the replica was asked for, and answered', 'reads')
  total(
    'fallbacks',
    'Public redirects that the primary was asked for because the replica was left out or failed',
    'fallbacks',
  )
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_replica_left_out',
      help: '1 while a replica is set and not asked',
      aggregator: 'max',
      registers: [],
      collect() {
        this.set(stats().leftOut ? 1 : 0)
      },
    }),
  )
  return (given) => {
    stats = given
  }
}
