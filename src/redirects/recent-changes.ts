import { LRUCache } from 'lru-cache'

import { EVERY_CODE } from './link-cache.js'

/**
 * The codes that this process knows to have changed recently: within `withinMs`. If more than `most` codes change in
 * that time, all codes count as changed.
 */
export const createRecentChanges = (withinMs: number, most = 100_000) => {
  const isRecent = (at: number): boolean => performance.now() - at < withinMs
  let all = Number.NEGATIVE_INFINITY
  const changes = new LRUCache<string, number>({
    max: most,
    dispose: (at, _code, reason) => {
      if (reason === 'evict' && isRecent(at)) all = performance.now()
    },
  })
  return {
    /** Notes that a code changed; `*`: any code may have. */
    note: (code: string): void => {
      if (code === EVERY_CODE) all = performance.now()
      else changes.set(code, performance.now())
    },
    has: (code: string): boolean => isRecent(Math.max(all, changes.get(code) ?? all)),
  }
}

export type RecentChanges = ReturnType<typeof createRecentChanges>
