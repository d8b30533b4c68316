import type { Fault } from './refusal.js'
import { DAY_MS, timeZone, type DayNumber, type TimeZone } from './time-zone.js'

export const VISIT_INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type VisitInterval = (typeof VISIT_INTERVALS)[number]

/** The requested period: instants as ISO 8601, or days (`2026-11-01`) that begin at midnight in the zone. */
export interface VisitPeriod {
  /** default: the start of the interval 30 days before `to` */
  readonly from?: string | undefined
  /** default: the end of the current hour */
  readonly to?: string | undefined
  readonly interval: VisitInterval
  /** a name of the IANA database */
  readonly zone: string
}

/**
 * Whole hours since 1970 in UTC, grouped into intervals of a time zone. An interval that begins within an hour includes
 * that hour.
 */
export interface VisitRange {
  readonly from: number
  /** exclusive */
  readonly to: number
  /** when each interval begins, in milliseconds; the first and the last may be cut by `from` and `to` */
  readonly starts: readonly number[]
}

export const HOUR_MS = 3_600_000
/** The most points of a series of hours. Calendar intervals have a lower limit, because they are slower to compute. */
export const MOST_HOURS = 10_000
export const MOST_DAYS = 3_000
const USUAL_DAYS = 30

export const hourOf = (instant: number): number => Math.floor(instant / HOUR_MS)

/** The requested range, or the parameter that is wrong. */
export const visitRange = (
  { from, to, interval, zone: name }: VisitPeriod,
  now: number,
): { readonly range: VisitRange } | { readonly fault: Fault } => {
  const zone = timeZone(name)
  if (zone === null) return fault('zone', 'must be a time zone such as Europe/Berlin')
  const instantOf = (text: string): number =>
    text.length === DATE_LENGTH ? zone.startOfDay(Date.parse(text) / DAY_MS) : Date.parse(text)

  const toHour = to === undefined ? hourOf(now) + 1 : hourOf(instantOf(to))
  const first = from === undefined ? startOf(interval, zone, toHour * HOUR_MS - USUAL_DAYS * DAY_MS) : instantOf(from)
  const fromHour = hourOf(first)
  if (fromHour >= toHour) return fault('from', 'must be an hour or more before to')
  const starts = startsOf(interval, zone, fromHour, toHour)
  return starts.length > mostOf(interval)
    ? fault('interval', `must be longer: the range has more than ${mostOf(interval)} of these`)
    : { range: { from: fromHour, to: toHour, starts } }
}

const mostOf = (interval: VisitInterval): number => (interval === 'hour' ? MOST_HOURS : MOST_DAYS)

const DATE_LENGTH = '2026-11-01'.length

const fault = (field: string, message: string) => ({ fault: { field, message } })

/** The starts of all intervals in the range; one more than the limit if there are too many. */
const startsOf = (interval: VisitInterval, zone: TimeZone, from: number, to: number): readonly number[] => {
  if (interval === 'hour')
    return Array.from({ length: Math.min(to - from, MOST_HOURS + 1) }, (_, i) => (from + i) * HOUR_MS)
  const starts: number[] = []
  // the last millisecond of the hour: an interval that begins within the hour includes it
  let day = firstDayOf(interval, zone.dayAt((from + 1) * HOUR_MS - 1))
  let start = zone.startOfDay(day)
  while (hourOf(start) < to && starts.length <= MOST_DAYS) {
    // a skipped day begins with the next one
    if (start !== starts.at(-1)) starts.push(start)
    day = nextOf(interval, day)
    start = zone.startOfDay(day)
  }
  return starts
}

const startOf = (interval: VisitInterval, zone: TimeZone, instant: number): number =>
  interval === 'hour' ? instant : zone.startOfDay(firstDayOf(interval, zone.dayAt(instant)))

/** The first day of the interval (a day, a week from Monday on, or a month) that contains a day. */
export const firstDayOf = (interval: VisitInterval, day: DayNumber): DayNumber => {
  if (interval === 'week') return day - ((((day + 3) % 7) + 7) % 7)
  return interval === 'month' ? day - new Date(day * DAY_MS).getUTCDate() + 1 : day
}

const nextOf = (interval: VisitInterval, day: DayNumber): DayNumber =>
  interval === 'month' ? firstDayOf('month', day + 31) : day + (interval === 'week' ? 7 : 1)
