import { oneOf } from '../narrow.js'

/** How far back visits are shown. */
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

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Days of a period, today included; a year is 52 whole weeks, this one included. */
const DAYS = { '7d': 7, '30d': 30, '1y': 364 } as const

/** The time that clocks in a zone show at an instant, as if it were UTC. */
const clockIn = (zone: string, instant: number): number => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(instant)
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(numberOf('year'), numberOf('month') - 1, numberOf('day'), numberOf('hour'), numberOf('minute'))
}

/** The day in a zone, in days from 1970. */
const dayIn = (zone: string, instant: number): number => Math.floor(clockIn(zone, instant) / DAY_MS)

/**
 * The instant so many days earlier at which clocks in the zone show the same time: the first of two; before a gap that
 * skips it.
 */
const daysBefore = (zone: string, instant: number, days: number): number => {
  const wanted = clockIn(zone, instant) - days * DAY_MS
  // at most one change of the clocks lies between them
  const found = [wanted - DAY_MS, wanted + DAY_MS].map((near) => wanted - (clockIn(zone, near) - near))
  const exact = found.filter((each) => clockIn(zone, each) === wanted)
  return Math.min(...(exact.length > 0 ? exact : found))
}

const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** 1970 began on a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7)

/**
 * A period up to the end of this hour, and the previous one. Both begin at the start of a day (of a week for a year) in
 * the zone, and end at the same time of day, so that their points and sums can be compared.
 */
export const boundsOf = (
  period: Period,
  now: number,
  zone: string,
): { readonly shown: Bounds; readonly before: Bounds } => {
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
  const instant = (ms: number) => new Date(ms).toISOString()
  if (period === '24h') {
    const of = (to: number): Bounds => ({ from: instant(to - DAY_MS), to: instant(to), interval: 'hour', zone })
    return { shown: of(end), before: of(end - DAY_MS) }
  }
  const days = DAYS[period]
  const interval = period === '1y' ? 'week' : 'day'
  // in zones that are half an hour off, tomorrow may begin within this hour, and includes it
  const today = dayIn(zone, end - 1)
  const first = period === '1y' ? mondayOf(today) + 7 - days : today + 1 - days
  const of = (from: number, to: number): Bounds => ({ from: dayName(from), to: instant(to), interval, zone })
  return { shown: of(first, end), before: of(first - days, daysBefore(zone, end, days)) }
}

/** The period in a URL; 30 days by default. */
export const periodIn = (text: string | undefined): Period => oneOf(PERIODS, text) ?? '30d'
