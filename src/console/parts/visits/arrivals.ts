const MINUTE_MS = 60_000

/** Visits that arrived while watching: when, in milliseconds, and how many. */
export type Arrivals = readonly { readonly at: number; readonly visits: number }[]

/** The visits of the last minute. */
export const withinMinute = (arrivals: Arrivals, now: number): Arrivals =>
  arrivals.filter(({ at }) => now - at < MINUTE_MS)

export const sumOf = (arrivals: Arrivals): number => arrivals.reduce((sum, { visits }) => sum + visits, 0)
