import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Deadline } from '../../domain/deadline.js'
import { HOUR_MS } from '../../domain/visit-range.js'
import { read, type ReadBinding } from './context.js'
import { matching } from './link-page.js'
import { knex, ownedRows } from './query.js'
import { COUNT, type VisitQuery } from './visit-statistics.js'

export interface LinkVisits {
  readonly code: string
  readonly visits: number
}

const MOST = 10
const FIRST_BATCH = 16
const LARGEST_BATCH = 4_096

interface Row {
  readonly id: string
  /** null if the link is not within the caller's reach, not tagged, or in the trash */
  readonly code: string | null
  readonly visits: number
  /** all-time visits: an upper bound for any range */
  readonly ever: number
}

/**
 * The exact ten most visited links of a range, without adding up every link; with tags, of those links that have all of
 * them. It scans links by their all-time visits, most first, and stops once those are no more than the range visits of
 * the tenth link found.
 */
export const mostVisited = async (
  database: Database,
  binding: ReadBinding,
  { range, bots }: VisitQuery,
  tags: readonly string[],
  deadline: Deadline,
): Promise<readonly LinkVisits[]> => {
  const count = COUNT[bots]
  /**
   * The next links by all-time visits. Those that do not count (out of reach, in the trash, not tagged) have no code.
   */
  const batch = (after: Row | undefined, limit: number): Knex.Raw => {
    const candidates = ownedRows('visit_counts', binding)()
      .select('link_id', knex.raw(`(${count}) as ever`))
      .orderByRaw(`(${count}) desc`)
      .orderBy('link_id', 'desc')
      .limit(limit)
    if (after !== undefined) candidates.whereRaw(`((${count}), link_id) < (?, ?)`, [after.ever, after.id])
    // `last_at` is a person's last visit. A day of margin, because visits of an old day count at its twelfth hour.
    if (bots === 'false') candidates.whereRaw('last_at >= to_timestamp(?)', [((range.from - 24) * HOUR_MS) / 1_000])
    const links = matching(ownedRows('links', binding)(), { tag: tags }).select('id', 'code')
    return knex.raw(
      `with candidates as materialized (?)
       select c.link_id as id, c.ever::float8 as ever, l.code, h.visits
         from candidates c left join (?) l on l.id = c.link_id
         left join lateral (
           select coalesce(sum(${count}), 0)::float8 as visits from visit_hours v
            where v.link_id = l.id and v.hour >= ? and v.hour < ?
         ) h on true
        order by c.ever desc, c.link_id desc`,
      [candidates, links, range.from, range.to],
    )
  }

  let best: readonly LinkVisits[] = []
  let last: Row | undefined
  for (let limit = FIRST_BATCH; ; limit = Math.min(2 * limit, LARGEST_BATCH)) {
    const rows = await read<Row>(database, binding, batch(last, limit), deadline)
    const found = rows.flatMap(({ code, visits }) => (code === null || visits === 0 ? [] : [{ code, visits }]))
    best = [...best, ...found].sort((a, b) => b.visits - a.visits || (a.code < b.code ? -1 : 1)).slice(0, MOST)
    last = rows.at(-1)
    const least = best.length < MOST ? 0 : (best.at(-1)?.visits ?? 0)
    if (last === undefined || rows.length < limit || last.ever <= least) return best
  }
}
