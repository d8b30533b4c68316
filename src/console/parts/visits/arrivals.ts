const MINUTE_MS = 60_000

/** Visits that came while somebody watched: when, in milliseconds, and how many. */
export type Arrivals = readonly { readonly at: number; readonly visits: number }[]

/** Without those that are older than a minute. */
export const withinMinute = (arrivals: Arrivals, now: number): Arrivals =>
  arrivals.filter(({ at }) => now - at < MINUTE_MS)

export const sumOf = (arrivals: Arrivals): number => arrivals.reduce((sum, { visits }) => sum + visits, 0)

/** Seconds before the nth try to connect again, from 0 on: twice as long each time, a minute at most. */
export const waitBefore = (attempt: number): number => Math.min(60, 2 ** (attempt + 1))
