import { randomUUID } from 'node:crypto'

import type { Database } from '../database/database.js'
import { isDatabaseAway } from '../database/errors.js'
import type { Visitor } from '../domain/visitor.js'
import { createAgents } from './agent.js'
import type { CountryOf } from './country.js'
import { createDaySalt } from './day-salt.js'
import type { DaySalt } from './day-salt.js'
import { referrerOf } from './referrer.js'

/** Counts who follows links, beside the requests (docs/visits.md). */
export interface Visits {
  /** Notes one visit, and is done. Never throws. */
  note(link: string, visitor: Visitor): void
  stats(): VisitStats
  /** Writes what was noted, and stops. What a database that is away does not take is dropped. */
  stop(): Promise<void>
}

/** Totals only grow. */
export interface VisitStats {
  readonly waiting: number
  readonly written: number
  /** previews of messengers, which are no visits */
  readonly previews: number
  readonly dropped: number
}

export interface VisitsOptions {
  readonly database: Pick<Database, 'run'>
  /** of the service: who comes from it comes from nowhere */
  readonly ownHost: string
  readonly countryOf: CountryOf
  /** whether single visits are kept, or totals alone */
  readonly keepsSingle: boolean
  /** Called with the error when visits cannot be written, and with null when they can again. */
  readonly onChange: (fault: unknown) => void
  /** Called once an outage, when visits begin to be dropped. */
  readonly onDrop: () => void
  /** Called with the duration of each batch. */
  readonly onBatch?: (seconds: number) => void
  /** between two batches: with the time that a batch takes, what a crash can lose */
  readonly intervalMs?: number
  readonly retryMs?: number
  /** visits that wait at most, noted or described; the newest are dropped */
  readonly most?: number
}

/** What was noted of a request, for a quarter of a second. */
interface Noted {
  readonly link: string
  readonly at: number
  readonly address: string
  readonly userAgent: string | undefined
  readonly referer: string | undefined
  readonly country: string | null
  /** `Sec-GPC: 1` or `DNT: 1`: nothing is kept but the count */
  readonly plain: boolean
}

/** What is written of a visit. */
interface Seen {
  readonly link: string
  readonly at: number
  readonly day: string | null
  readonly facts: Readonly<Record<string, string | boolean | null>>
}

const BATCH = 2_000

export const createVisits = ({
  database,
  ownHost,
  countryOf,
  keepsSingle,
  onChange,
  onDrop,
  onBatch,
  intervalMs = 250,
  retryMs = 1_000,
  most = 100_000,
}: VisitsOptions): Visits => {
  const describeAgent = createAgents()
  const saltOfToday = createDaySalt(database)
  const writer = randomUUID()
  let noted: Noted[] = []
  let waiting: Seen[] = []
  /** sent, and not known to be written: it is sent again as it is */
  let sent: readonly Seen[] = []
  let batches = 0
  let today: string | null = null
  let written = 0
  let previews = 0
  let dropped = 0
  let isDropping = false
  let retryAt = Number.NEGATIVE_INFINITY

  const drop = (count: number): void => {
    dropped += count
    if (!isDropping) onDrop()
    isDropping = true
  }

  const describe = ({ link, at, address, userAgent, referer, country, plain }: Noted, salt: DaySalt | null): Seen[] => {
    const { kind, browser, os, device } = describeAgent(userAgent)
    if (kind === 'preview') {
      previews += 1
      return []
    }
    const bot = kind === 'bot'
    if (plain) return [{ link, at, day: null, facts: { bot, single: false } }]
    const visitor = bot || salt === null ? null : salt.hash(link, address, userAgent ?? '')
    const facts = {
      referrer: referrerOf(referer, ownHost),
      country,
      browser,
      os,
      device,
      bot,
      single: keepsSingle,
      visitor,
    }
    return [{ link, at, day: salt?.day ?? null, facts }]
  }

  /** Turns what was noted into what is written: from here on there is no address and no user agent. */
  const describeNoted = async (): Promise<void> => {
    if (noted.length === 0) return
    const salt = await saltOfToday()
    today = salt?.day ?? null
    const batch = noted
    noted = []
    for (const each of batch) waiting.push(...describe(each, salt))
  }

  const writeBatch = async (): Promise<void> => {
    if (sent.length === 0) {
      sent = waiting.splice(0, BATCH)
      batches += 1
    }
    const startedAt = performance.now()
    await database.run({
      name: 'add_visits',
      text: 'select add_visits($1, $2, $3, $4)',
      values: [writer, batches, today, rowsOf(sent, today)],
    })
    written += sent.length
    sent = []
    onBatch?.((performance.now() - startedAt) / 1_000)
  }

  const write = async (): Promise<void> => {
    while ((sent.length > 0 || waiting.length > 0) && performance.now() >= retryAt) {
      try {
        await writeBatch()
        isDropping = false
        onChange(null)
      } catch (error) {
        onChange(error)
        if (isDatabaseAway(error)) retryAt = performance.now() + retryMs
        else {
          // the database refuses this batch for what is in it: another try would be refused as well
          drop(sent.length)
          sent = []
        }
      }
    }
  }

  const describeInTurn = inTurn(describeNoted)
  const writeInTurn = inTurn(write)
  // apart from each other: no address waits for a database that is away
  const tick = () => void describeInTurn().then(writeInTurn)
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  const total = () => noted.length + waiting.length + sent.length
  return {
    note: (link, visitor) => {
      if (total() >= most) return drop(1)
      const { address, header } = visitor
      noted.push({
        link,
        at: performance.now(),
        address,
        userAgent: header('user-agent'),
        referer: header('referer'),
        country: countryOf(visitor),
        plain: header('sec-gpc') === '1' || header('dnt') === '1',
      })
      if (noted.length === BATCH) setImmediate(tick)
    },
    stats: () => ({ waiting: total(), written, previews, dropped }),
    stop: async () => {
      clearInterval(timer)
      await describeInTurn()
      await describeInTurn()
      await writeInTurn()
      retryAt = Number.NEGATIVE_INFINITY
      await writeInTurn()
      const left = total()
      if (left > 0) drop(left)
      noted = []
      waiting = []
      sent = []
    },
  }
}

/** Runs work that is not to run twice at once: whoever asks while it runs waits for that run. */
const inTurn = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  return () =>
    (running ??= work().finally(() => {
      running = undefined
    }))
}

/** The rows of a batch as JSON, with their ages: the database's clock says when they were. */
const rowsOf = (batch: readonly Seen[], day: string | null): string => {
  const now = performance.now()
  return JSON.stringify(
    batch.map(({ link, at, day: seenOn, facts }) => ({
      ...facts,
      link,
      age: Math.round(now - at),
      // the hash of another day is of no use any more
      visitor: seenOn === day ? facts['visitor'] : null,
    })),
  )
}
