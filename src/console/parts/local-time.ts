/**
 * Attributes of a field for a time in the browser's zone. `max` keeps years to four digits: without it Chromium takes
 * six, and whoever types straight on gets the year 202614.
 */
export const LOCAL_TIME = { type: 'datetime-local', max: '9999-12-31T23:59' } as const

/** A time as such a field holds it; empty for null. What is not a time is returned as it is. */
export const toLocal = (time: string | null | undefined): string => {
  if (!time) return ''
  const then = new Date(time)
  if (Number.isNaN(then.getTime())) return time
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** True if the time in such a field is past. */
export const isPast = (text: string): boolean => text !== '' && Date.parse(text) <= Date.now()

/** The reverse; null for an empty text. What is not a time is returned as it is: the service says what is wrong. */
export const fromLocal = (text: string): string | null => {
  if (text === '') return null
  const then = new Date(text)
  return Number.isNaN(then.getTime()) ? text : then.toISOString()
}
