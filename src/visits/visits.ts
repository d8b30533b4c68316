import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

import type { Database } from '../database/database.js'
import { isDatabaseAway } from '../database/errors.js'
import { inTurn } from '../domain/in-turn.js'
import { Refusal } from '../domain/refusal.js'
import type { Visitor } from '../domain/visitor.js'
import type { Countries } from './country.js'
import { createDaySalt } from './day-salt.js'
import { createDescriber } from './describe.js'
import type { Noted, Seen } from './describe.js'

/** Counts visits in the background (docs/visits.md). */
export interface Visits {
  /** Notes one visit in memory. Never throws. */
  note(link: string, visitor: Visitor): void
  stats(): VisitStats
  /**
   * Adds what all processes have written to the totals, for somebody who looks at them: at most every FRESH_MS, and
   * waits for it for at most a second, or `withinMs` if that is less. Never throws.
   */
  catchUp(withinMs?: number): Promise<void>
  /** Writes and counts all noted visits, and stops. If the database is down, they are dropped. */
  stop(): Promise<void>
}

/** All but `waiting` are totals, which only grow. */
export interface VisitStats {
  /** in memory, or in the database but not yet in the totals */
  readonly waiting: number
  readonly counted: number
  /** previews by messengers, which do not count as visits */
  readonly previews: number
  readonly dropped: number
}

interface VisitsOptions {
  readonly database: Pick<Database, 'run'>
  /** the service's own host, which does not count as a referrer */
  readonly ownHost: string
  readonly countries: Countries
  /** whether single visits are kept, or only totals */
  readonly keepsSingle: boolean
  /** Called with the error when visits cannot be written, and with null after a batch was written. */
  readonly onChange: (fault: unknown) => void
  /** Called once per outage, when visits begin to be dropped. */
  readonly onDrop: () => void
  /** Called with the duration of each addition to the totals, in seconds. */
  readonly onCount?: (seconds: number) => void
  /** time between two batches: a crash can lose the visits of this time, plus the time that a batch takes */
  readonly intervalMs?: number
  /** time between two additions to the totals; if many visits come and nobody looks, three times as long */
  readonly countEveryMs?: number
  readonly retryMs?: number
  /** maximum of visits in memory; beyond it, new ones are dropped */
  readonly most?: number
}

const BATCH = 2_000

/** How many batches are added to the totals at once. */
const BATCHES_AT_ONCE = 150

/** From so many visits on, the next addition waits three times as long: a link's visits then change its totals once. */
const MANY = 1_000

/** How long `catchUp` waits at most, in milliseconds: old totals are better than none. */
const PATIENCE_MS = 1_000

/** How old the totals may be when somebody looks at them, in milliseconds. */
const FRESH_MS = 500

/**
 * Counts visits in batches. No request waits for a batch, and addresses and user agents are discarded as soon as a
 * visit is described. While the database is down, visits wait in memory. Batches are idempotent: one whose answer was
 * lost is sent again and written once. A batch that the database rejects is dropped. Times are in milliseconds.
 */
export const createVisits = ({
  database,
  ownHost,
  countries,
  keepsSingle,
  onChange,
  onDrop,
  onCount,
  intervalMs = 250,
  countEveryMs = 1_000,
  retryMs = 1_000,
  most = 100_000,
}: VisitsOptions): Visits => {
  const describe = createDescriber({ ownHost, countries, keepsSingle })
  const saltOfToday = createDaySalt(database)
  const writer = randomUUID()
  let noted: Noted[] = []
  let shared = shareTexts()
  let waiting: Seen[] = []
  /** the batch in flight; retried unchanged until the database confirms or rejects it */
  let sent: readonly Seen[] = []
  let batches = 0
  let today: string | null = null
  /** in the database, but not yet counted */
  let added = 0
  let counted = 0
  let previews = 0
  let dropped = 0
  let isDropping = false
  let retryAt = Number.NEGATIVE_INFINITY
  let countedAt = Number.NEGATIVE_INFINITY
  let batchesAtOnce = BATCHES_AT_ONCE

  const drop = (count: number): void => {
    dropped += count
    if (!isDropping) onDrop()
    isDropping = true
  }

  /** Describes the noted visits and discards their addresses and user agents. */
  const describeNoted = async (): Promise<void> => {
    if (noted.length === 0) return
    const salt = await saltOfToday()
    today = salt?.day ?? null
    const batch = noted
    noted = []
    shared = shareTexts()
    const seen = describe(batch, salt)
    previews += batch.length - seen.length
    waiting = waiting.concat(seen)
  }

  const writeBatch = async (): Promise<void> => {
    if (sent.length === 0) {
      sent = waiting.splice(0, BATCH)
      batches += 1
    }
    await database.run({
      name: 'add_visits',
      text: 'select add_visits($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [writer, batches, today, ...columnsOf(sent, today)],
    })
    added += sent.length
    sent = []
  }

  const fail = (error: unknown): void => {
    onChange(error)
    if (isTransient(error)) retryAt = performance.now() + retryMs
  }

  const write = async (): Promise<void> => {
    while ((sent.length > 0 || waiting.length > 0) && performance.now() >= retryAt) {
      try {
        await writeBatch()
        if (total() < most / 2) isDropping = false
        onChange(null)
      } catch (error) {
        fail(error)
        if (!isTransient(error)) {
          // the database rejects the batch's content: a retry would fail as well
          drop(sent.length)
          sent = []
        }
      }
    }
  }

  /**
   * Has the database add written visits to the totals, including those that other processes wrote. After a failure it
   * tries fewer at once: after an outage, all that wait may take longer than a statement may.
   */
  const count = async (): Promise<void> => {
    const startedAt = performance.now()
    if (startedAt < retryAt) return
    const counting = added
    try {
      const [row] = await database.run<{ taken: number }>({
        name: 'count_visits',
        text: 'select count_visits($1) as taken',
        values: [batchesAtOnce],
      })
      // fewer than usual may have left ours out: only a call that finds none proves that all are counted
      if (row?.taken === 0 || batchesAtOnce === BATCHES_AT_ONCE) {
        added -= counting
        counted += counting
      }
      batchesAtOnce = Math.min(BATCHES_AT_ONCE, batchesAtOnce * 2)
      onCount?.((performance.now() - startedAt) / 1_000)
    } catch (error) {
      batchesAtOnce = Math.ceil(batchesAtOnce / 2)
      // a process without visits of its own leaves reporting to those that have some
      if (counting > 0) fail(error)
    }
    // set at the end, so that a `catchUp` during this run waits for it
    countedAt = startedAt
  }

  const describeInTurn = inTurn(describeNoted)
  const writeInTurn = inTurn(write)
  const countInTurn = inTurn(count)
  const countIfOlder = async (ms: number): Promise<void> => {
    if (performance.now() - countedAt >= ms) await countInTurn()
  }
  const countIfDue = async (): Promise<void> => {
    if (added > 0) await countIfOlder(added < MANY ? countEveryMs : 3 * countEveryMs)
  }
  // Separate steps, so that addresses are discarded even if the database is down, and writing does not wait for
  // counting.
  const tick = () => void describeInTurn().then(writeInTurn).then(countIfDue)
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  const total = () => noted.length + waiting.length + sent.length
  return {
    note: (link, visitor) => {
      if (total() >= most) return drop(1)
      noted.push({
        link,
        // an integer, because V8 allocates an object for every fraction
        at: Math.round(performance.now()),
        address: visitor.address,
        userAgent: shared(visitor.header('user-agent')),
        referer: shared(visitor.header('referer')),
        country: countries.header === undefined ? undefined : shared(visitor.header(countries.header)),
        plain: visitor.header('sec-gpc') === '1' || visitor.header('dnt') === '1',
      })
      if (noted.length === BATCH) setImmediate(tick)
    },
    catchUp: (withinMs = PATIENCE_MS) =>
      Promise.race([countIfOlder(FRESH_MS), setTimeout(Math.min(withinMs, PATIENCE_MS), undefined, { ref: false })]),
    stats: () => ({ waiting: total() + added, counted, previews, dropped }),
    stop: async () => {
      clearInterval(timer)
      // twice: the first call may join a run that began before the last visit was noted
      await describeInTurn()
      await describeInTurn()
      await writeInTurn()
      retryAt = Number.NEGATIVE_INFINITY
      await writeInTurn()
      if (added > 0) await countInTurn()
      if (added > 0) await countInTurn()
      const left = total()
      if (left > 0) drop(left)
      noted = []
      waiting = []
      sent = []
    },
  }
}

/** Whether a retry of the same batch may succeed: the database is away, or a deadlock rolled it back. */
const isTransient = (error: unknown): boolean =>
  isDatabaseAway(error) || (error instanceof Refusal && error.code === 'conflict')

/**
 * Returns equal texts as the same string. Thousands of visits wait at once, many with the same headers, and every
 * string that waits costs garbage collection.
 */
const shareTexts = () => {
  const texts = new Map<string | undefined, string | undefined>()
  return (text: string | undefined): string | undefined => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
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
