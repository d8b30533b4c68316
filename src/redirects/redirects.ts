import type { Database } from '../database/database.js'
import type { Listener } from '../database/listener.js'
import type { Replica } from '../database/replica.js'
import { createAnnouncer } from './announcer.js'
import { findLink, findLinkInReplica } from './find-link.js'
import { STALE_MS, createLinkCache, type CacheStats, type LinkCache } from './link-cache.js'
import { createRecentChanges } from './recent-changes.js'

/** The links of public redirects, from this process's cache, the replica or the primary. */
export interface Redirects {
  readonly find: LinkCache['find']
  /** Invalidates a code that changed in the database; EVERY_CODE: any may have. */
  forget(code: string): void
  /** Invalidates a code that this process changed: here at once, and soon in every process. */
  changed(code: string): void
  stats(): CacheStats
  stop(): Promise<void>
}

interface RedirectParts {
  readonly database: Pick<Database, 'lookUp'>
  /** the database without tracing: announcements belong to no request */
  readonly pool: Pick<Database, 'run'>
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  readonly replica: Pick<Replica, 'read'> | undefined
  /** maximum number of cached codes; 0: no cache */
  readonly cacheSize: number
  /** how long cached links are followed while the database is down, in milliseconds */
  readonly outageMs: number
}

/**
 * Opens the links of public redirects. `find` never returns a link that has been stale for longer than STALE_MS,
 * whatever its source, or `outageMs` while the database is down. It rejects if the database is down and the link is not
 * cached. `stop` first announces pending changes.
 */
export const openRedirects = ({ database, pool, listener, replica, cacheSize, outageMs }: RedirectParts): Redirects => {
  const primary = findLink(database)
  const changes = replica && createRecentChanges(STALE_MS)
  const find = replica && changes ? findLinkInReplica(primary, replica, changes) : primary
  const answerAgeMs = replica === undefined ? 0 : STALE_MS
  const cache = createLinkCache({ find, answerAgeMs, listener, size: cacheSize, outageMs })
  const announcer = createAnnouncer(pool)
  const forget = (code: string) => {
    // first, so that the invalidated code is not read again from a stale replica
    changes?.note(code)
    cache.forget(code)
  }
  return {
    find: cache.find,
    forget,
    changed: (code) => {
      forget(code)
      announcer.soon()
    },
    stats: cache.stats,
    stop: announcer.stop,
  }
}
