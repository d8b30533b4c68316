import { hash } from 'node:crypto'

import type { Database } from '../database/database.js'

/** Hashes visitors so that they can be recognised within a day, but not across days. */
export interface DaySalt {
  /** the day (UTC), such as 2026-11-22 */
  readonly day: string
  /** A 52-bit hash of one link's visitor: a person who follows two links counts as two visitors. */
  readonly hash: (link: string, address: string, userAgent: string) => number
}

/** How long to wait before retrying a failed query for the salt. */
const RETRY_MS = 1_000

/**
 * The salt of the day, queried again after a minute (migrations/functions/add_visits.sql). It exists only in memory and
 * in one row of the database, which the next day's salt overwrites. Null while the query fails: visitors are not
 * recognised then.
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
      // not reported here: writing the visits fails as well, and that is
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
    return Number.parseInt(digest.slice(0, 13), 16)
  }
}
