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
  /** 16 hexadecimal digits: of somebody who may be counted as a visitor */
  readonly visitor?: string
  /** kept by itself as well */
  readonly single?: boolean
}

export const HOUR = 3_600_000

/** The middle of an hour, from 1970. */
export const inHour = (hour: number): number => hour * HOUR + HOUR / 2

/** Writes visits by the function that writes all of them, in one batch. */
export const addVisits = (db: TestDatabase, visits: readonly SeenVisit[]): Promise<unknown> =>
  db.asOwner(`select add_visits(gen_random_uuid(), 1, (select day from visit_day()), $1::jsonb)`, [
    JSON.stringify(
      visits.map(({ at, bot = false, single = false, ...visit }) => ({
        ...visit,
        age: Date.now() - at,
        bot,
        single,
      })),
    ),
  ])

/** The id of the link with a code. */
export const linkId = async (db: TestDatabase, code: string): Promise<string> => {
  const [row] = await db.asOwner<{ id: string }>('select id from links where code = $1', [code])
  if (row === undefined) throw new Error(`no link ${code}`)
  return row.id
}
