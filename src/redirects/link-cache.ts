import { LRUCache } from 'lru-cache'

import { isDatabaseAway } from '../database/errors.js'
import type { Listener } from '../database/listener.js'
import type { Link } from '../domain/link.js'

export const LINKS_CHANNEL = 'linkgate_links'

/** Means all codes. */
export const EVERY_CODE = '*'

/**
 * The staleness bound, in milliseconds: how long a changed link may still be followed as it was. Notifications take a
 * few milliseconds; the bound matters if a connection hangs or the database is down.
 */
export const STALE_MS = 2_000

/** The cache's statistics. Totals only grow. */
export interface CacheStats {
  /** links found in the cache */
  readonly hits: number
  /** codes queried from the database */
  readonly misses: number
  /** codes cached as having no link */
  readonly negativeHits: number
  /** calls of `forget` */
  readonly invalidations: number
  /** cached codes */
  readonly entries: number
  /** true while nothing is cached: the cache has size 0, or notifications that would invalidate it do not arrive */
  readonly off: boolean
}

export interface LinkCache {
  /** The link of a code, or null. Answers from the cache only if that cannot be older than STALE_MS. */
  find(code: string): Promise<Link | null> | Link | null
  /** Invalidates a code, or all with `*`. A running query may return the old link, so its result is not cached. */
  forget(code: string): void
  stats(): CacheStats
}

interface LinkCacheOptions {
  /** queries the database */
  readonly find: (code: string) => Promise<Link | null>
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  /** maximum number of cached codes; 0: no cache */
  readonly size: number
}

/** Links with a password or a maximum of visits are always read from the database. */
const isCacheable = ({ has_password: guarded, max_visits: most }: Link): boolean => !guarded && most === null

/** bounds the total size of the cached texts */
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
    /** False if the code was invalidated meanwhile. */
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
