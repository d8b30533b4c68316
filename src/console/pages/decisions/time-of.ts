const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const DAY = /^((?:19[7-9]|20\d|21\d)\d)-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?(Z)?$/

/**
 * Parses a time of a search to ISO 8601: a span back from now (`90m`, `24h`, `7d`), a day, or a time, in this browser's
 * zone unless it ends with `Z`. A day ends where the next one begins. Null if invalid.
 */
export const timeOf = (text: string, now: number, edge: 'start' | 'end'): string | null => {
  const [, amount, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd') return new Date(now - Number(amount) * UNITS[unit]).toISOString()
  const [, ...parts] = DAY.exec(text) ?? []
  if (parts.length === 0) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const isUtc = parts[6] !== undefined
  const whole = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // rejects 30 February and 25:00
  const isThere = whole.getUTCMonth() === month - 1 && whole.getUTCDate() === day && whole.getUTCHours() === hour
  if (!isThere || minute > 59 || second > 59) return null
  const shift = edge === 'end' && parts[3] === undefined ? 1 : 0
  return (
    isUtc
      ? new Date(Date.UTC(year, month - 1, day + shift, hour, minute, second))
      : new Date(year, month - 1, day + shift, hour, minute, second)
  ).toISOString()
}
