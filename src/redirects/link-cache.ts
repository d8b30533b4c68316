import { LRUCache } from 'lru-cache'

import { isDatabaseAway } from '../database/errors.js'
import type { Listener } from '../database/listener.js'
import type { FindLink, Link } from '../domain/link.js'

export const LINKS_CHANNEL = 'linkgate_links'

/** Means all codes. */
export const EVERY_CODE = '*'

/**
 * The staleness bound, in milliseconds: how long a changed link may still be followed as it was while the database
 * answers. Notifications take a few milliseconds; the bound matters if a connection hangs.
 */
export const STALE_MS = 2_000

/** time between two queries that find out whether the database is back */
const RETRY_MS = 100

/** how long a lookup waits for a database that hangs before it counts as down */
const PATIENCE_MS = 1_000

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
  /**
   * True while the cache is not used unless the database is down: it has size 0, or notifications that would
   * invalidate it do not arrive.
   */
  readonly off: boolean
}

export interface LinkCache {
  /**
   * The link of a code, or null. Answers from the cache only if that cannot be older than STALE_MS, or `outageMs` while
   * the database is down.
   */
  find(code: string): Promise<Link | null> | Link | null
  /** Invalidates a code, or all with `*`. A running query may return the old link, so its result is not cached. */
  forget(code: string): void
  stats(): CacheStats
}

interface LinkCacheOptions {
  /** queries the database */
  readonly find: FindLink
  /** how old an answer of `find` may be, in milliseconds: a replica still answers when the primary is down */
  readonly answerAgeMs: number
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  /** maximum number of cached codes; 0: no cache */
  readonly size: number
  /** how long cached links are followed while the database is down, in milliseconds; at least STALE_MS */
  readonly outageMs: number
}

/** Links with a password or a maximum of visits are always read from the database. */
const isCacheable = ({ has_password: guarded, max_visits: most }: Link): boolean => !guarded && most === null

/** bounds the total size of the cached texts */
const MAX_CHARACTERS = 64 * 1024 * 1024
const ENTRY_CHARACTERS = 400

/**
 * Caches public links by code, and codes without a link in a cache of their own, so that guesses evict no link. The
 * database notifies of changes. While notifications do not arrive it is queried instead. While it is down nobody can
 * change a link there, so what is cached goes on for `outageMs`, and one query at a time finds out whether it is back.
 * Concurrent lookups of one code share a query.
 */
export const createLinkCache = ({ find, answerAgeMs, listener, size, outageMs }: LinkCacheOptions): LinkCache => {
  const links = new LRUCache<string, Link>({
    max: Math.max(1, size),
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ target, title, note }) =>
      ENTRY_CHARACTERS + target.length + (title?.length ?? 0) + (note?.length ?? 0),
  })
  const absent = new LRUCache<string, true>({ max: Math.max(1, Math.ceil(size / 4)) })
  const pending = new Map<string, Promise<Link | null>>()
  const total = { hits: 0, misses: 0, negativeHits: 0, invalidations: 0 }
  /** when a query last found the database down; undefined: another has succeeded since, or it is too long ago */
  let downAt: number | undefined

  const cached = (code: string): Link | null | undefined => {
    const known = links.get(code) ?? (absent.has(code) ? null : undefined)
    if (known === null) total.negativeHits += 1
    else if (known !== undefined) total.hits += 1
    return known
  }
  const has = (code: string): boolean => links.has(code) || absent.has(code)
  const isWithin = (ms: number) => performance.now() - listener.confirmedAt < ms

  const clear = () => {
    links.clear()
    absent.clear()
  }
  const remove = (code: string) => {
    links.delete(code)
    absent.delete(code)
  }
  const store = (code: string, link: Link | null) => {
    // also what was cached before: while notifications do not arrive, only this query knows of a change
    remove(code)
    if (size === 0) return
    if (link === null) absent.set(code, true)
    else if (isCacheable(link)) links.set(code, link)
  }

  const query = (code: string): Promise<Link | null> => {
    const running = pending.get(code)
    if (running) return running
    total.misses += 1
    /** False if the code was invalidated meanwhile. */
    const finish = () => pending.get(code) === answer && pending.delete(code)
    const answer: Promise<Link | null> = find(code).then(
      (link) => {
        downAt = undefined
        const isLatest = finish()
        if (isWithin(STALE_MS + answerAgeMs)) {
          if (isLatest) store(code, link)
          // the database ran then, and what it announced has not arrived: whatever is cached may have changed since
        } else if (links.size + absent.size > 0) clear()
        return link
      },
      (error: unknown) => {
        downAt = isDatabaseAway(error) ? performance.now() : undefined
        finish()
        throw error
      },
    )
    pending.set(code, answer)
    return answer
  }

  /** Whether the database is down, as far as queries tell. Sends one from time to time, to find out. */
  const isDown = (code: string): boolean => {
    if (downAt === undefined) return false
    if (pending.size > 0) return true
    const passed = performance.now() - downAt
    // nobody has asked for long: it may be back
    if (passed >= STALE_MS) downAt = undefined
    else if (passed >= RETRY_MS) query(code).catch(() => undefined)
    return downAt !== undefined
  }

  /** What is cached, where it may be used now. */
  const usable = (code: string): Link | null | undefined => {
    const isFresh = listener.up && isWithin(STALE_MS)
    return isFresh || (isWithin(outageMs) && isDown(code)) ? cached(code) : undefined
  }

  /** Queries a code that is cached but must not be used yet; it may be once the database turns out to be down. */
  const queryAgain = async (code: string): Promise<Link | null> => {
    const answer = query(code)
    let timer: NodeJS.Timeout | undefined
    const hangs = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        downAt ??= performance.now()
        resolve(undefined)
      }, PATIENCE_MS)
    })
    const found = await Promise.race([answer.catch(() => undefined), hangs])
    clearTimeout(timer)
    const known = found === undefined ? usable(code) : found
    return known === undefined ? answer : known
  }

  return {
    find: (code) => {
      const known = usable(code)
      if (known !== undefined) return known
      return has(code) ? queryAgain(code) : query(code)
    },
    forget: (code) => {
      total.invalidations += 1
      if (code === EVERY_CODE) {
        clear()
        pending.clear()
        return
      }
      remove(code)
      pending.delete(code)
    },
    stats: () => ({ ...total, entries: links.size + absent.size, off: size === 0 || !listener.up }),
  }
}
