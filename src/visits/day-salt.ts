import { hash } from 'node:crypto'

import type { Database } from '../database/database.js'

/** Makes visitors of one day recognisable, and of no two days. */
export interface DaySalt {
  /** the day (UTC), such as 2026-11-22 */
  readonly day: string
  /** A visitor of one link, as a number of 64 bits: who follows two links is two visitors. */
  readonly hash: (link: string, address: string, userAgent: string) => string
}

/** The least time between two questions for a salt that could not be had. */
const RETRY_MS = 1_000

/**
 * The salt of the day, from the database once a day (migrations/functions/add_visits.sql): in memory and in one row
 * there, and overwritten by the next. null while it cannot be had: visitors are not recognised then.
 */
export const createDaySalt = (database: Pick<Database, 'run'>): (() => Promise<DaySalt | null>) => {
  let current: DaySalt | null = null
  let endsAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() < endsAt) return current
    try {
      const text = 'select day::text, salt, left_ms from visit_day()'
      const [row] = await database.run<{ day: string; salt: Buffer; left_ms: number }>({ text })
      current = row === undefined ? null : { day: row.day, hash: hashUnder(row.salt) }
      endsAt = performance.now() + (row?.left_ms ?? RETRY_MS)
    } catch {
      // whoever writes the visits reports that the database is away
      current = null
      endsAt = performance.now() + RETRY_MS
    }
    return current
  }
}

const hashUnder = (salt: Buffer): DaySalt['hash'] => {
  const secret = salt.toString('hex')
  return (link, address, userAgent) => {
    const digest = hash('sha256', `${secret} ${link} ${address} ${userAgent}`, 'hex')
    return BigInt.asIntN(64, BigInt(`0x${digest.slice(0, 16)}`)).toString()
  }
}
