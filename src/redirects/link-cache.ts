import { LRUCache } from 'lru-cache'

import type { Listener } from '../database/listener.js'
import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { CacheStats } from '../metrics/metrics.js'

export const LINKS_CHANNEL = 'linkgate_links'

/** Stands for every code. */
export const EVERY_CODE = '*'

/**
 * How long a changed link may still be followed as it was, in milliseconds: as long as nobody confirmed that every
 * notification has arrived. Notifications take a few milliseconds; this is the bound where the connection hangs or the
 * database is gone.
 */
export const STALE_MS = 2_000

export interface LinkCache {
  /** The link of a code, or null where there is none; from memory where that cannot be older than STALE_MS. */
  find(code: string): Promise<Link | null> | Link | null
  /**
   * Forgets a code (or all, `*`), also what is being asked at this moment: an answer that is on its way may be older.
   */
  forget(code: string): void
  stats(): CacheStats
}

export interface LinkCacheOptions {
  /** asks the database */
  readonly find: (code: string) => Promise<Link | null>
  readonly listener: Pick<Listener, 'up' | 'confirmedAt'>
  /** codes that are remembered at the most; 0: none */
  readonly size: number
}

/** What all remembered targets may take together, in characters. */
const MOST_CHARACTERS = 64 * 1024 * 1024
const ENTRY_CHARACTERS = 200

/** A question that is under way. One that was forgotten meanwhile is answered, and not remembered. */
interface Question {
  readonly answer: Promise<Link | null>
}

/**
 * Remembers public links by their codes, and codes without a link beside them, each within a bound of its own, so that
 * guesses push out no link. The database says what is no longer so; while nobody can hear it, it is asked instead, and
 * memory answers only where the database cannot, and not for longer than STALE_MS. Many who ask for one code at once
 * make one question.
 */
export const createLinkCache = ({ find, listener, size }: LinkCacheOptions): LinkCache => {
  const links = new LRUCache<string, Link>({
    max: Math.max(1, size),
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ target }) => ENTRY_CHARACTERS + target.length,
  })
  const absent = new LRUCache<string, true>({ max: Math.max(1, Math.ceil(size / 4)) })
  const asked = new Map<string, Question>()
  const total = { hits: 0, misses: 0, negativeHits: 0, invalidations: 0 }

  const remembered = (code: string): Link | null | undefined => links.get(code) ?? (absent.has(code) ? null : undefined)
  const isRecent = () => performance.now() - listener.confirmedAt < STALE_MS

  const ask = (code: string): Promise<Link | null> => {
    const under = asked.get(code)
    if (under) return under.answer
    total.misses += 1
    const question: Question = {
      answer: find(code).then(
        (link) => {
          if (asked.get(code) === question) {
            asked.delete(code)
            if (size > 0 && listener.up) {
              if (link === null) absent.set(code, true)
              else links.set(code, link)
            }
          }
          return link
        },
        (error: unknown) => {
          if (asked.get(code) === question) asked.delete(code)
          throw error
        },
      ),
    }
    asked.set(code, question)
    return question.answer
  }

  return {
    find: (code) => {
      if (listener.up && isRecent()) {
        const known = remembered(code)
        if (known === undefined) return ask(code)
        if (known === null) total.negativeHits += 1
        else total.hits += 1
        return known
      }
      return ask(code).catch((error: unknown) => {
        const known =
          error instanceof Refusal && error.code === 'database_unavailable' && isRecent() ? remembered(code) : undefined
        if (known === undefined) throw error
        return known
      })
    },
    forget: (code) => {
      total.invalidations += 1
      if (code === EVERY_CODE) {
        links.clear()
        absent.clear()
        asked.clear()
        return
      }
      links.delete(code)
      absent.delete(code)
      asked.delete(code)
    },
    stats: () => ({ ...total, entries: links.size + absent.size, off: size === 0 || !listener.up }),
  }
}
