import { DAY_MS, timeZone, type TimeZone } from '../../../domain/time-zone.js'
import { HOUR_MS, firstDayOf, hourOf } from '../../../domain/visit-range.js'
import { oneOf } from '../narrow.js'

export const PERIODS = ['24h', '7d', '30d', '1y'] as const
export type Period = (typeof PERIODS)[number]

export type Interval = 'hour' | 'day' | 'week'

/** The requested period: days begin at midnight in `zone`, other times are instants. */
export interface Bounds {
  readonly from: string
  readonly to: string
  readonly interval: Interval
  readonly zone: string
}

/** Days of a period, today included; a year is 52 whole weeks, this one included. */
const DAYS = { '7d': 7, '30d': 30, '1y': 364 } as const

/**
 * The instant so many days earlier at which clocks in the zone show the same time: the first of two; before a gap that
 * skips it.
 */
const daysBefore = ({ clockAt }: TimeZone, instant: number, days: number): number => {
  const wanted = clockAt(instant) - days * DAY_MS
  // at most one change of the clocks lies between them
  const found = [wanted - DAY_MS, wanted + DAY_MS].map((near) => wanted - (clockAt(near) - near))
  const exact = found.filter((each) => clockAt(each) === wanted)
  return Math.min(...(exact.length > 0 ? exact : found))
}

const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/**
 * A period up to the end of this hour, and the previous one. Both begin at the start of a day (of a week for a year) in
 * the zone, and end at the same time of day, so that their points and sums can be compared. In UTC if the browser does
 * not know its zone.
 */
export const boundsOf = (
  period: Period,
  now: number,
  zone: string,
): { readonly shown: Bounds; readonly before: Bounds } => {
  const calendar = timeZone(zone)
  if (calendar === null) return boundsOf(period, now, 'UTC')
  const end = (hourOf(now) + 1) * HOUR_MS
  const instant = (ms: number) => new Date(ms).toISOString()
  if (period === '24h') {
    const of = (to: number): Bounds => ({ from: instant(to - DAY_MS), to: instant(to), interval: 'hour', zone })
    return { shown: of(end), before: of(end - DAY_MS) }
  }
  const days = DAYS[period]
  const interval = period === '1y' ? 'week' : 'day'
  // in zones that are half an hour off, tomorrow may begin within this hour, and includes it
  const today = calendar.dayAt(end - 1)
  const first = period === '1y' ? firstDayOf('week', today) + 7 - days : today + 1 - days
  const of = (from: number, to: number): Bounds => ({ from: dayName(from), to: instant(to), interval, zone })
  return { shown: of(first, end), before: of(first - days, daysBefore(calendar, end, days)) }
}

/** The period in a URL; 30 days by default. */
export const periodIn = (text: string | undefined): Period => oneOf(PERIODS, text) ?? '30d'
