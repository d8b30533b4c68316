import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** The cache of public redirects, as it stands. Totals only grow. */
export interface CacheStats {
  /** codes that were answered from memory */
  readonly hits: number
  /** codes that were asked of the database */
  readonly misses: number
  /** codes of which memory knew that there is no link */
  readonly negativeHits: number
  /** entries that the database took back */
  readonly invalidations: number
  /** codes that are remembered now */
  readonly entries: number
  /** true while nothing is remembered, because nobody could take it back (or there is no cache) */
  readonly off: boolean
}

const NO_CACHE: CacheStats = { hits: 0, misses: 0, negativeHits: 0, invalidations: 0, entries: 0, off: true }

/**
 * Registers the metrics of the redirect cache; answers the function that says where they find it. Without one, it is
 * off.
 */
export const cacheMetrics = (registry: Registry): ((stats: () => CacheStats) => void) => {
  const registers = [registry]
  let stats: () => CacheStats = () => NO_CACHE
  const total = (name: string, help: string, member: 'hits' | 'misses' | 'negativeHits' | 'invalidations') =>
    new Counter({
      name: `linkgate_cache_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(stats()[member])
      },
    })
  total('hits', 'Public redirects that were answered from memory', 'hits')
  total('misses', 'Public redirects that were asked of the database', 'misses')
  total('negative_hits', 'Codes without a link that memory knew', 'negativeHits')
  total('invalidations', 'Entries that the database took back', 'invalidations')
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_cache_entries',
      help: 'Codes that are remembered',
      aggregator: 'sum',
      registers: [],
      collect() {
        this.set(stats().entries)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_cache_off',
      help: '1 while nothing is remembered',
      aggregator: 'max',
      registers: [],
      collect() {
        this.set(stats().off ? 1 : 0)
      },
    }),
  )
  return (given) => {
    stats = given
  }
}
