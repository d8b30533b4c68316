import { EVERY_CODE } from './link-cache.js'

/** Which codes changed a moment ago, as far as this process was told. */
export interface RecentChanges {
  /** A code changed now; `*`: any may have. */
  note(code: string): void
  has(code: string): boolean
}

/** Remembers changes for `withinMs`. Beyond `most` codes all of them count as changed: none is ever missed. */
export const createRecentChanges = (withinMs: number, most = 100_000): RecentChanges => {
  // in the order of their time
  const changed = new Map<string, number>()
  let all = Number.NEGATIVE_INFINITY
  return {
    note: (code) => {
      const now = performance.now()
      changed.delete(code)
      for (const [oldest, at] of changed) {
        if (now - at < withinMs) break
        changed.delete(oldest)
      }
      if (code !== EVERY_CODE && changed.size < most) changed.set(code, now)
      else {
        changed.clear()
        all = now
      }
    },
    has: (code) => performance.now() - Math.max(all, changed.get(code) ?? all) < withinMs,
  }
}
