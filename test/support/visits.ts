import { randomUUID } from 'node:crypto'

import type { TestDatabase } from './database.js'

/** A visit as the service writes it; what is left out is not known. */
export interface SeenVisit {
  /** the link's id */
  readonly link: string
  /** milliseconds since 1970, at least a minute from the ends of its hour */
  readonly at: number
  readonly referrer?: string | null
  readonly country?: string | null
  readonly browser?: string | null
  readonly os?: string | null
  readonly device?: string | null
  readonly bot?: boolean
  /** the hash of somebody who may be counted as a visitor */
  readonly visitor?: string
  /** kept by itself as well */
  readonly single?: boolean
}

export const HOUR = 3_600_000

/** The middle of an hour, from 1970. */
export const inHour = (hour: number): number => hour * HOUR + HOUR / 2

/** Visits as add_visits() takes them: kinds, links, ages, numbers of kinds, visitors. */
export const columnsOf = (unsorted: readonly SeenVisit[]) => {
  const visits = unsorted.toSorted((a, b) => a.at - b.at)
  const kinds: string[] = []
  const numbers = visits.map(({ referrer, country, browser, os, device, bot = false, single = false }) => {
    const kind = JSON.stringify({ referrer, country, browser, os, device, bot, single })
    if (!kinds.includes(kind)) kinds.push(kind)
    return kinds.indexOf(kind) + 1
  })
  const now = Date.now()
  return [
    `[${kinds.join(',')}]`,
    visits.map(({ link }) => link),
    visits.map(({ at }) => Math.round(now - at)),
    numbers,
    visits.map(({ visitor }) => visitor ?? null),
  ] as const
}

interface Batch {
  readonly writer?: string
  readonly number?: number
  /** of the salt, as SQL */
  readonly day?: string
}

/** Writes visits in one batch, by the function that writes all of them. They are not counted yet. */
export const writeVisits = async (
  db: Pick<TestDatabase, 'asOwner'>,
  visits: readonly SeenVisit[],
  { writer = randomUUID(), number = 1, day = '(select day from visit_day())' }: Batch = {},
): Promise<void> => {
  await db.asOwner(`select add_visits($1, $2, ${day}, $3, $4, $5, $6, $7)`, [writer, number, ...columnsOf(visits)])
}

/** Writes visits in one batch, and counts them. */
export const addVisits = async (
  db: Pick<TestDatabase, 'asOwner'>,
  visits: readonly SeenVisit[],
  batch?: Batch,
): Promise<void> => {
  if (visits.length === 0) return
  await writeVisits(db, visits, batch)
  await db.asOwner('select count_visits()')
}

/** Options of `createVisits` for a test that needs none of its own. */
export const VISITS = {
  ownHost: 'lnk.example',
  countries: { header: undefined, of: () => null },
  keepsSingle: true,
  onWriteChange: () => undefined,
  onCountChange: () => undefined,
  onDrop: () => undefined,
}

/** The id of the link with a code. */
export const linkId = async (db: TestDatabase, code: string): Promise<string> => {
  const [row] = await db.asOwner<{ id: string }>('select id from links where code = $1', [code])
  if (row === undefined) throw new Error(`no link ${code}`)
  return row.id
}
