import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { LINK_ROW, toLink, visitsOf, type LinkRow } from '../../database/link-row.js'
import type { Link } from '../../domain/link.js'
import type { DataRule } from '../rules.js'
import { bind, changeOne, reachOf, read } from './context.js'
import { countOf, numberIn, type CountRow } from './count.js'
import { isTimeAndId, pageOf, parseCursor, timeAndId, type Page, type PageQuery } from './keyset.js'
import { SEARCH_MS, ask, filtered, isSearch, matching, type LinkFilter } from './link-page.js'
import { LINK_ROLES, MOVED_COLUMNS, refuseFields, type LinkChanged } from './link-rows.js'
import { exactly } from './links.js'
import { knex, ownedRows, prepared, type OwnedRows } from './query.js'

/** A deleted link as it was, with the time of its deletion. */
interface DeletedLink extends Link {
  readonly deleted_at: string
}

type TrashFilter = Omit<LinkFilter, 'state'>

/** The deleted links that the caller may restore, kept for TRASH_DAYS. */
export interface Trash {
  /** Newest deletion first. */
  page(query: TrashFilter & PageQuery): Promise<Page<DeletedLink>>
  /** How many links match the filter, up to 10,000. */
  countListed(filter: TrashFilter): Promise<number>
  /**
   * Restores the record that was decided about, with its id and visit count, under its code or another one. Throws
   * `code_taken` (409), and RecordChanged if it is no longer in the trash or has another owner.
   */
  restore(link: Link, code?: string): Promise<Link>
}

const SORT = '-deleted_at'
/** The columns that a restoration changes. The code is the query's last parameter. */
const RESTORED: Readonly<Record<string, string>> = { code: '?::text', updated_at: 'now()', version: 'version + 1' }

/** The data layer of the trash. It reaches what `link:delete` reaches. `searches` limits concurrent searches. */
export const trashStore = (database: Database, changed: LinkChanged, searches: Gate): DataRule<Trash> => ({
  rows: 'deleted links that the caller may link:delete',
  open: (context) => {
    const binding = bind(context, reachOf(context, 'link:delete'), LINK_ROLES)
    const deleted = ownedRows('deleted_links', binding)
    const matchingRows = (filter: TrashFilter) => matching(filtered(deleted(), filter), filter)
    /** A search has no index here, because the trash is small. It has the same timeout as a search of links. */
    const rowsOf = <Row>(filter: TrashFilter, rows: Knex.QueryBuilder): Promise<readonly Row[]> =>
      isSearch(filter)
        ? searches(() => ask<Row>(database, binding, rows, binding.deadline.within(SEARCH_MS)))
        : read<Row>(database, binding, prepared(rows))
    return {
      page: async ({ limit, cursor, ...filter }) => {
        const query = matchingRows(filter)
          .select(...LINK_ROW, 'deleted_at', knex.raw(visitsOf('deleted_links')))
          .orderBy('deleted_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1)
        if (cursor !== undefined)
          query.whereRaw('(deleted_at, id) < (?, ?)', parseCursor(cursor, SORT, isTimeAndId).split(' '))
        const rows = await rowsOf<LinkRow & { readonly deleted_at: Date }>(filter, query)
        const links = rows.map((row) => ({ ...toLink(row), deleted_at: row.deleted_at.toISOString() }))
        return pageOf(links, limit, SORT, ({ deleted_at: time, id }) => timeAndId(time, id))
      },
      countListed: async (filter) => numberIn(await rowsOf<CountRow>(filter, countOf(matchingRows(filter)))),
      restore: async (link, code) => {
        const restoration = prepared(restorationOf(deleted, link, code).select('*').from('done'))
        const row = await changeOne<LinkRow>(database, binding, restoration).catch(refuseFields)
        changed(row.code)
        return toLink(row)
      },
    }
  },
})

/** A query with the CTE `done`, which restores this link, under its code or another one. */
export const restorationOf = (deleted: OwnedRows, link: Link, code = link.code): Knex.QueryBuilder => {
  const values = MOVED_COLUMNS.map((name) => RESTORED[name] ?? name).join(', ')
  // raw SQL: Knex has no `overriding system value`, which lets the link keep its id
  const text = `insert into links (${MOVED_COLUMNS.join(', ')}) overriding system value select ${values} from taken
    returning ${LINK_ROW.join(', ')}, ${visitsOf('links')}`
  return knex
    .with(
      'taken',
      exactly(deleted, link)
        .delete()
        .returning([...MOVED_COLUMNS]),
    )
    .with('done', knex.raw(text, [code]))
}
