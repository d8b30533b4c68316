import { LRUCache } from 'lru-cache'

import { isDatabaseAway } from '../database/errors.js'
import type { Listener } from '../database/listener.js'
import type { Link } from '../domain/link.js'

export const LINKS_CHANNEL = 'linkgate_links'

/** Stands for all codes. */
export const EVERY_CODE = '*'

/**
 * The longest that a changed link may still be followed as it was, in milliseconds. Notifications take a few; this
 * bound is for a connection that hangs and a database that is down.
 */
export const STALE_MS = 2_000

/** What the cache reports. Totals only grow. */
export interface CacheStats {
  /** codes that were answered from memory */
  readonly hits: number
  /** codes that were asked of the database */
  readonly misses: number
  /** codes that memory knew to have no link */
  readonly negativeHits: number
  /** entries that the database invalidated */
  readonly invalidations: number
  /** codes that are cached now */
  readonly entries: number
  /** true while nothing is cached, because nobody could invalidate it (or there is no cache) */
  readonly off: boolean
}

export interface LinkCache {
  /** The link of a code, or null; from the cache if that cannot be older than STALE_MS. */
  find(code: string): Promise<Link | null> | Link | null
  /** Drops a code, or all with `*`. The result of a query that is running, and may be older, is not cached. */
  forget(code: string): void
  stats(): CacheStats
}

interface LinkCacheOptions {
  /** queries the database */
  readonly find: (code: string) => Promise<Link | null>
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  /** codes that are cached at most; 0: none */
  readonly size: number
}

/** Whoever follows a link with a password or a maximum of visits is answered by what the database holds then. */
const isCacheable = ({ has_password: guarded, max_visits: most }: Link): boolean => !guarded && most === null

/** bounds the cached texts together */
const MAX_CHARACTERS = 64 * 1024 * 1024
const ENTRY_CHARACTERS = 400

/**
 * Caches public links by code, and codes without a link in a cache of their own, so that guesses evict no link. The
 * database notifies of changes. While notifications do not arrive it is queried instead, and the cache is only used if
 * the query fails, for at most STALE_MS. Concurrent lookups of one code share a query.
 */
export const createLinkCache = ({ find, listener, size }: LinkCacheOptions): LinkCache => {
  const links = new LRUCache<string, Link>({
    max: Math.max(1, size),
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ target, title, note }) =>
      ENTRY_CHARACTERS + target.length + (title?.length ?? 0) + (note?.length ?? 0),
  })
  const absent = new LRUCache<string, true>({ max: Math.max(1, Math.ceil(size / 4)) })
  const pending = new Map<string, Promise<Link | null>>()
  const total = { hits: 0, misses: 0, negativeHits: 0, invalidations: 0 }

  const cached = (code: string): Link | null | undefined => links.get(code) ?? (absent.has(code) ? null : undefined)
  const isRecent = () => performance.now() - listener.confirmedAt < STALE_MS

  const query = (code: string): Promise<Link | null> => {
    const running = pending.get(code)
    if (running) return running
    total.misses += 1
    /** False if the code was dropped meanwhile. */
    const finish = () => pending.get(code) === answer && pending.delete(code)
    const answer: Promise<Link | null> = find(code).then(
      (link) => {
        if (finish() && size > 0 && listener.up) {
          if (link === null) absent.set(code, true)
          else if (isCacheable(link)) links.set(code, link)
        }
        return link
      },
      (error: unknown) => {
        finish()
        throw error
      },
    )
    pending.set(code, answer)
    return answer
  }

  return {
    find: (code) => {
      if (listener.up && isRecent()) {
        const known = cached(code)
        if (known === undefined) return query(code)
        if (known === null) total.negativeHits += 1
        else total.hits += 1
        return known
      }
      return query(code).catch((error: unknown) => {
        const known = isDatabaseAway(error) && isRecent() ? cached(code) : undefined
        if (known === undefined) throw error
        return known
      })
    },
    forget: (code) => {
      total.invalidations += 1
      if (code === EVERY_CODE) {
        links.clear()
        absent.clear()
        pending.clear()
        return
      }
      links.delete(code)
      absent.delete(code)
      pending.delete(code)
    },
    stats: () => ({ ...total, entries: links.size + absent.size, off: size === 0 || !listener.up }),
  }
}
