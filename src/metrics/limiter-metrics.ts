import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What the limiter tells. */
export interface LimiterObserver {
  /** a request over the quota of this name; of a closed set */
  readonly refused: (quota: string) => void
  readonly storeFailed: () => void
}

export interface LimiterMetrics {
  /** what the limiter tells */
  readonly observer: LimiterObserver
  /** where the gauge finds whether counts are shared */
  readonly follow: (shared: () => boolean) => void
}

export const limiterMetrics = (registry: Registry): LimiterMetrics => {
  const registers = [registry]
  let shared: () => boolean = () => false
  const refused = new Counter({
    name: 'linkgate_limiter_refused_total',
    help: 'Requests over a quota',
    labelNames: ['quota'],
    registers,
  })
  const errors = new Counter({
    name: 'linkgate_limiter_store_errors_total',
    help: 'Requests that the shared store could not count; this process counted them alone',
    registers,
  })
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_limiter_shared',
      help: '1 while Redis counts for all nodes, 0 while each node counts alone',
      aggregator: 'min',
      registers: [],
      collect() {
        this.set(shared() ? 1 : 0)
      },
    }),
  )
  return {
    observer: { refused: (quota) => refused.inc({ quota }), storeFailed: () => errors.inc() },
    follow: (given) => {
      shared = given
    },
  }
}
