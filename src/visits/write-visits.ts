import { randomUUID } from 'node:crypto'

import type { Database } from '../database/database.js'
import { onceAtATime } from '../domain/once.js'
import type { Attempts } from './attempts.js'
import type { Seen } from './describe.js'

/** Visits in a batch. */
export const BATCH = 2_000

interface WriterOptions {
  readonly database: Pick<Database, 'run'>
  readonly attempts: Attempts
  /** Called after each batch that was written, with its size. */
  readonly onWritten: (visits: number) => void
  /** Called with the error of each attempt that failed. */
  readonly onFail: (error: unknown) => void
  /** Called for a batch with a value that cannot be stored: a retry would fail as well. */
  readonly onRejected: (visits: number) => void
}

/**
 * Writes visits to the database in batches. While it is down, visits wait in memory. A batch is idempotent: one whose
 * answer was lost is sent again and written once.
 */
export const createWriter = ({ database, attempts, onWritten, onFail, onRejected }: WriterOptions) => {
  const id = randomUUID()
  let waiting: Seen[] = []
  /** the batch in flight; retried unchanged until the database confirms or rejects it */
  let sent: readonly Seen[] = []
  let batches = 0
  /** the last known day of a salt: the database ignores hashes of another day than that of its own */
  let today: string | null = null

  const writeBatch = async (): Promise<void> => {
    if (sent.length === 0) {
      sent = waiting.splice(0, BATCH)
      batches += 1
    }
    await database.run({
      name: 'add_visits',
      text: 'select add_visits($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [id, batches, today, ...columnsOf(sent, today)],
    })
  }

  const write = async (): Promise<void> => {
    while ((sent.length > 0 || waiting.length > 0) && attempts.isDue()) {
      let settle = onWritten
      try {
        await writeBatch()
      } catch (error) {
        onFail(error)
        if (attempts.fail(error)) return
        settle = onRejected
      }
      const { length } = sent
      sent = []
      settle(length)
    }
  }

  return {
    /** `day`: today, as far as the salt of visitors is known; null keeps the day before it, for visitors who wait */
    add: (visits: readonly Seen[], day: string | null): void => {
      waiting = waiting.concat(visits)
      today = day ?? today
    },
    /** Writes all that wait, unless an attempt has failed recently. Never throws. */
    write: onceAtATime(write),
    /** how many wait */
    size: () => waiting.length + sent.length,
    /** Forgets those that wait. */
    clear: (): void => {
      waiting = []
      sent = []
    },
  }
}

/** A batch as the arguments of add_visits(): distinct kinds, then per visit its link, age, kind number and visitor. */
const columnsOf = (batch: readonly Seen[], day: string | null) => {
  const now = performance.now()
  const kinds = new Map<string, number>()
  const numberOf = (kind: string): number => {
    const number = kinds.get(kind) ?? kinds.size + 1
    kinds.set(kind, number)
    return number
  }
  const numbers = batch.map(({ kind }) => numberOf(kind))
  return [
    `[${[...kinds.keys()].join(',')}]`,
    arrayOf(batch.map(({ link }) => link)),
    // as ages, because the times come from the database's clock
    arrayOf(batch.map(({ at }) => Math.round(now - at))),
    arrayOf(numbers),
    // hashes of another day are useless
    arrayOf(batch.map(({ visitor, day: seenOn }) => (seenOn === day ? visitor : null))),
  ]
}

/** Numbers as PostgreSQL's array literal: pg would quote and escape each of them. */
const arrayOf = (numbers: readonly (number | string | null)[]): string =>
  `{${numbers.map((number) => number ?? 'null').join(',')}}`
