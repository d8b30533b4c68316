import { MomentInUtc } from '../../routes/schemas.js'
import { UsageError } from '../errors.js'
import { parsed } from '../arguments.js'

const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** ISO 8601, from a time, a day, or a span back from now: `90m`, `24h`, `7d`. */
export const time = parsed((text) => {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd')
    return new Date(Date.now() - Number(amount) * MINUTES[unit] * 60_000).toISOString()
  return MomentInUtc.safeParse(text).data
}, 'must be a time such as 2026-11-21T05:00:00Z or 2026-11-21, or a span back from now: 90m, 24h, 7d')

/** Throws UsageError for a period that ends before it begins: it would look as if nothing had happened in it. */
export const requirePeriod = (from: string | null | undefined, to: string | null | undefined): void => {
  if (typeof from === 'string' && typeof to === 'string' && from >= to)
    throw new UsageError('--from must be before --to')
}
