import { parsed } from '../arguments.js'

const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** ISO 8601, from a time or a span back from now: `90m`, `24h`, `7d`. */
export const time = parsed((text) => {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd')
    return new Date(Date.now() - Number(amount) * MINUTES[unit] * 60_000).toISOString()
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : new Date(date).toISOString()
}, 'must be a time such as 2026-11-21T05:00:00Z or 2026-11-21, or a span back from now: 90m, 24h, 7d')
