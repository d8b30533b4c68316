import { EVERY_CODE } from './link-cache.js'

/**
 * The codes that this process knows to have changed recently: within `withinMs`. If more than `most` codes change in
 * that time, all codes count as changed.
 */
export const createRecentChanges = (withinMs: number, most = 100_000) => {
  // Two generations, each dropped as a whole: finding the first entry of a Map gets slower with every deletion there.
  let recent = new Map<string, number>()
  let before = new Map<string, number>()
  let startedAt = performance.now()
  let all = Number.NEGATIVE_INFINITY
  return {
    /** Notes that a code changed; `*`: any code may have. */
    note: (code: string): void => {
      const now = performance.now()
      if (now - startedAt >= withinMs) {
        before = recent
        recent = new Map()
        startedAt = now
      }
      if (code !== EVERY_CODE && recent.size < most) recent.set(code, now)
      else {
        recent.clear()
        before.clear()
        all = now
      }
    },
    has: (code: string): boolean =>
      performance.now() - Math.max(all, recent.get(code) ?? before.get(code) ?? all) < withinMs,
  }
}

export type RecentChanges = ReturnType<typeof createRecentChanges>
