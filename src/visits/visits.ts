import { setTimeout } from 'node:timers/promises'

import type { Database } from '../database/database.js'
import { onceAtATime } from '../domain/once.js'
import type { Visitor } from '../domain/visitor.js'
import { createAttempts } from './attempts.js'
import { createCounter } from './count-visits.js'
import { createDaySalt } from './day-salt.js'
import { createDescriber, type DescriberOptions, type Noted } from './describe.js'
import { BATCH, createWriter } from './write-visits.js'

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

interface VisitsOptions extends DescriberOptions {
  readonly database: Pick<Database, 'run'>
  /** Called with the error when visits cannot be written, and with null after a batch was written. */
  readonly onWriteChange: (fault: unknown) => void
  /** Called with the error when written visits cannot be added to the totals, and with null after some were. */
  readonly onCountChange: (fault: unknown) => void
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

/** How long `catchUp` waits at most, in milliseconds: old totals are better than none. */
const PATIENCE_MS = 1_000

/** How old the totals may be when somebody looks at them, in milliseconds. */
const FRESH_MS = 500

/**
 * Counts visits in batches. No request waits for a batch, and addresses and user agents are discarded as soon as a
 * visit is described. While the database is down, visits wait in memory. Batches are idempotent: one whose answer was
 * lost is sent again and written once. One with a value that cannot be stored is dropped. Times are in milliseconds.
 */
export const createVisits = ({
  database,
  ownHost,
  countries,
  keepsSingle,
  onWriteChange,
  onCountChange,
  onDrop,
  onCount,
  intervalMs = 250,
  countEveryMs = 1_000,
  retryMs = 1_000,
  most = 100_000,
}: VisitsOptions): Visits => {
  const describe = createDescriber({ ownHost, countries, keepsSingle })
  const saltOfToday = createDaySalt(database)
  let noted: Noted[] = []
  let shared = shareTexts()
  let previews = 0
  let dropped = 0
  let isDropping = false

  const drop = (count: number): void => {
    dropped += count
    if (!isDropping) onDrop()
    isDropping = true
  }

  const attempts = createAttempts(retryMs)
  const counter = createCounter({ database, attempts, everyMs: countEveryMs, onChange: onCountChange, onCount })
  const writer = createWriter({
    database,
    attempts,
    onWritten: (count) => {
      counter.add(count)
      if (total() < most / 2) isDropping = false
      onWriteChange(null)
    },
    onFail: onWriteChange,
    onRejected: drop,
  })
  const total = () => noted.length + writer.size()

  /** Describes the noted visits and discards their addresses and user agents. */
  const describeNoted = onceAtATime(async () => {
    if (noted.length === 0) return
    const salt = await saltOfToday()
    const batch = noted
    noted = []
    shared = shareTexts()
    const seen = describe(batch, salt)
    previews += batch.length - seen.length
    writer.add(seen, salt?.day ?? null)
  })

  // Separate steps, so that addresses are discarded even if the database is down, and writing does not wait for
  // counting.
  const tick = () => void describeNoted().then(writer.write).then(counter.ifDue)
  const timer = setInterval(tick, intervalMs)
  timer.unref()

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
      Promise.race([counter.ifOlder(FRESH_MS), setTimeout(Math.min(withinMs, PATIENCE_MS), undefined, { ref: false })]),
    stats: () => {
      const { written, counted } = counter.stats()
      return { waiting: total() + written, counted, previews, dropped }
    },
    stop: async () => {
      clearInterval(timer)
      // twice: the first call may join a run that began before the last visit was noted
      await describeNoted()
      await describeNoted()
      await writer.write()
      attempts.hurry()
      await writer.write()
      await counter.finish()
      const left = total()
      if (left > 0) drop(left)
      noted = []
      writer.clear()
    },
  }
}

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
