/** Days since 1970-01-01, as calendars count them, independent of a time zone. */
export type DayNumber = number

/** The calendar of a time zone. */
export interface TimeZone {
  /** The time that clocks in this zone show at an instant, as if it were UTC. Both in milliseconds since 1970. */
  clockAt(instant: number): number
  /** The day in this zone at an instant. */
  dayAt(instant: number): DayNumber
  /**
   * The instant at which a day begins in this zone: at midnight, or if clocks skip that, at the end of the gap. A day
   * that the zone skips begins with the next one.
   */
  startOfDay(day: DayNumber): number
}

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The zone with this name in the IANA database; null if there is none. */
export const timeZone = (name: string): TimeZone | null => {
  const clock = clockOf(name)
  if (clock === null) return null
  const known = new Map<number, number>()
  const clockAt = (instant: number): number => {
    const time = known.get(instant) ?? readClock(clock, instant)
    known.set(instant, time)
    return time
  }
  /** How far the zone's clocks are ahead of UTC, in milliseconds. */
  const offsetAt = (instant: number): number => clockAt(instant) - instant
  const dayAt = (instant: number): DayNumber => Math.floor(clockAt(instant) / DAY_MS)

  return {
    clockAt,
    dayAt,
    startOfDay: (day) => {
      const midnight = day * DAY_MS
      const first = midnight - offsetAt(midnight - DAY_MS)
      const second = midnight - offsetAt(midnight + DAY_MS)
      return first === second ? first : firstMinuteOf(day, midnight, dayAt)
    },
  }
}

/** Near a change of the offset: the first minute that belongs to this day or a later one. */
const firstMinuteOf = (day: DayNumber, midnight: number, dayAt: TimeZone['dayAt']): number => {
  // no zone is more than a day away from UTC
  let [before, since] = [midnight - 2 * DAY_MS, midnight + 2 * DAY_MS]
  while (since - before > MINUTE_MS) {
    const middle = before + Math.floor((since - before) / 2 / MINUTE_MS) * MINUTE_MS
    if (dayAt(middle) >= day) since = middle
    else before = middle
  }
  return since
}

const clockOf = (name: string): Intl.DateTimeFormat | null => {
  // newer engines accept offsets as well
  if (!/^[A-Za-z]/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return null
  }
}

/** The local time, as if it were UTC. `formatToParts` would take twice as long. */
const readClock = (clock: Intl.DateTimeFormat, instant: number): number => {
  // 11/23/2026, 04:31:14
  const [month = 1, day, year = 0, ...time] = (clock.format(instant).match(/\d+/g) ?? []).map(Number)
  const [hour, minute, second] = time
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1_000) + 1_000) % 1_000)
}
