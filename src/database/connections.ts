import type { Config } from '../config.js'
import { mostLongReads } from './long-reads.js'

export type ConnectionSettings = Partial<Pick<Config, 'workers' | 'databasePoolSize'>>

/** PostgreSQL's default. */
const LEAST = 100
/** More would take gigabytes of shared memory, and 262,143 is PostgreSQL's limit. */
const MOST = 10_000
/** for commands, a backup and you */
const OTHERS = 20

/**
 * `max_connections` of the embedded database: enough for all workers of the node, and for one more while a restart
 * replaces one after another. Each has its pool, long reads, one connection that listens, and one for the policy.
 */
export const connectionsOf = ({ workers = 1, databasePoolSize = 0 }: ConnectionSettings): number => {
  const worker = databasePoolSize + mostLongReads(databasePoolSize) + 2
  return Math.min(Math.max((workers + 1) * worker + OTHERS, LEAST), MOST)
}
