import type { Database } from '../database/database.js'
import type { Listener } from '../database/listener.js'
import type { Replica } from '../database/replica.js'
import type { CacheStats } from '../metrics/metrics.js'
import { createAnnouncer } from './announcer.js'
import { findLink, findLinkInReplica } from './find-link.js'
import { STALE_MS, createLinkCache } from './link-cache.js'
import type { LinkCache } from './link-cache.js'
import { createRecentChanges } from './recent-changes.js'

export { EVERY_CODE, LINKS_CHANNEL, STALE_MS } from './link-cache.js'

/** How the public redirect finds a link: from this process's cache, the replica or the primary. */
export interface Redirects {
  readonly find: LinkCache['find']
  /** The database says that a code's link changed; EVERY_CODE: any may have. */
  forget(code: string): void
  /** This process has committed a change of a code's link: it is forgotten here, and soon everywhere. */
  changed(code: string): void
  stats(): CacheStats
  stop(): Promise<void>
}

export interface RedirectParts {
  readonly database: Database
  /** the same without traces: announcements belong to no request */
  readonly pool: Pick<Database, 'run'>
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  readonly replica: Replica | undefined
  /** codes that are cached at most; 0: none */
  readonly cacheSize: number
}

/** Opens the cache of public links over the database and, where there is one, its replica. */
export const openRedirects = ({ database, pool, listener, replica, cacheSize }: RedirectParts): Redirects => {
  const changes = createRecentChanges(STALE_MS)
  const primary = findLink(database)
  const find = replica === undefined ? primary : findLinkInReplica(primary, replica, changes)
  const cache = createLinkCache({ find, listener, size: cacheSize })
  const announcer = createAnnouncer(pool)
  const forget = (code: string) => {
    // noted first, so that the replica is not asked for what the cache has just dropped
    changes.note(code)
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
