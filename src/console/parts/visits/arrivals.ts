const MINUTE_MS = 60_000

/** Visits that came while somebody watched: when, in milliseconds, and how many. */
export type Arrivals = readonly { readonly at: number; readonly visits: number }[]

/** Without those that are older than a minute. */
export const withinMinute = (arrivals: Arrivals, now: number): Arrivals =>
  arrivals.filter(({ at }) => now - at < MINUTE_MS)

export const sumOf = (arrivals: Arrivals): number => arrivals.reduce((sum, { visits }) => sum + visits, 0)
