/** Includes the region that the browser has for the language, so that dates and numbers look familiar. */
export let locale: string

/** Called once, before anything is rendered. */
export const setLocale = (name: string): void => {
  locale = name
}

const once = <Options extends object, Format>(make: (locale: string, options: Options) => Format) => {
  const made = new Map<string, Format>()
  return (options: Options): Format => {
    const key = JSON.stringify(options)
    const known = made.get(key) ?? make(locale, options)
    made.set(key, known)
    return known
  }
}
const numbers = once((name, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(name, options))
const dates = once((name, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(name, options))
const lists = once((name, options: Intl.ListFormatOptions) => new Intl.ListFormat(name, options))
const spans = once((name, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(name, options))

type Time = string | number | Date

export const number = (value: number): string => numbers({}).format(value)

/** A share in whole percent; a little is not shown as nothing. */
export const percent = (share: number): string => {
  const { format } = numbers({ style: 'percent', maximumFractionDigits: 0 })
  return share > 0 && share < 0.005 ? `<${format(0.01)}` : format(share)
}

export const date = (time: Time): string => dates({ dateStyle: 'medium' }).format(new Date(time))
export const dayAndMonth = (time: Time): string => dates({ day: 'numeric', month: 'short' }).format(new Date(time))
export const weekday = (time: Time): string =>
  dates({ weekday: 'short', day: 'numeric', month: 'short' }).format(new Date(time))
export const hour = (time: Time): string => dates({ hour: '2-digit', minute: '2-digit' }).format(new Date(time))
export const dateAndTime = (time: Time): string =>
  dates({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time))

/** The time of day if it is today. */
export const moment = (time: Time): string => (date(time) === date(Date.now()) ? hour(time) : dateAndTime(time))

/** A time of day to the millisecond. */
export const clock = (time: Time): string =>
  dates({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  }).format(new Date(time))
export const longDay = (time: Time): string =>
  dates({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(time))
export const dateAndSeconds = (time: Time): string =>
  dates({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time))

/** "a, b and c" */
export const listed = (texts: readonly string[]): string => lists({ type: 'conjunction' }).format(texts)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const midnightOf = (time: number): number => new Date(time).setHours(0, 0, 0, 0)

/**
 * How far away a time is: "in 3 days", "2 hours ago". Days are those of the calendar, because "tomorrow" means the next
 * one, not the next 24 hours.
 */
export const distance = (time: Time): string => {
  const [then, now] = [new Date(time).getTime(), Date.now()]
  const ms = then - now
  const words = spans({ numeric: 'auto' })
  // rounded: some days have 23 or 25 hours
  if (Math.abs(ms) >= DAY_MS) return words.format(Math.round((midnightOf(then) - midnightOf(now)) / DAY_MS), 'day')
  if (Math.abs(ms) >= HOUR_MS) return words.format(Math.round(ms / HOUR_MS), 'hour')
  return words.format(Math.round(ms / MINUTE_MS), 'minute')
}

/** How long to wait, in seconds, or in minutes if it is longer. */
export const wait = (seconds: number): string =>
  seconds > 120 ? `${number(Math.ceil(seconds / 60))} min` : `${number(Math.ceil(seconds))} s`

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A part of a sentence as a sentence of its own. */
export const asSentence = (text: string): string => `${capitalized(text)}.`
