import { EVERY_CODE } from './link-cache.js'

/** Which codes changed a moment ago, as far as this process was told. */
export interface RecentChanges {
  /** A code changed now; `*`: any may have. */
  note(code: string): void
  has(code: string): boolean
}

/**
 * Remembers changes for `withinMs`. Beyond `most` codes in a span of that length all of them count as changed: none is
 * ever missed.
 */
export const createRecentChanges = (withinMs: number, most = 100_000): RecentChanges => {
  // This span of time and the one before, each forgotten as a whole: a map that loses its oldest entries one by one is
  // searched for its first one ever longer.
  let recent = new Map<string, number>()
  let before = new Map<string, number>()
  let began = performance.now()
  let all = Number.NEGATIVE_INFINITY
  return {
    note: (code) => {
      const now = performance.now()
      if (now - began >= withinMs) {
        before = recent
        recent = new Map()
        began = now
      }
      if (code !== EVERY_CODE && recent.size < most) recent.set(code, now)
      else {
        recent.clear()
        before.clear()
        all = now
      }
    },
    has: (code) => performance.now() - Math.max(all, recent.get(code) ?? before.get(code) ?? all) < withinMs,
  }
}
