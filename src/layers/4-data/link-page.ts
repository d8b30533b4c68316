import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../database/gate.js'
import { LINK_ROW, toLink } from '../../database/link-row.js'
import type { LinkRow } from '../../database/link-row.js'
import type { Statement } from '../../database/statement.js'
import { deadlineExceeded, isDeadlineExceeded } from '../../domain/deadline.js'
import { isCode } from '../../domain/link.js'
import type { Link, LinkState } from '../../domain/link.js'
import { read } from './context.js'
import type { Binding } from './context.js'
import { isTimeAndId, pageOf, parseCursor, timeAndId } from './keyset.js'
import type { Page } from './keyset.js'
import { ownedRows, prepared, toStatement } from './query.js'

export const LINK_SORTS = ['-created_at', 'created_at', 'code', '-code'] as const
export type LinkSort = (typeof LINK_SORTS)[number]

export interface LinkPageQuery {
  readonly limit: number
  readonly sort: LinkSort
  readonly cursor?: string | undefined
  /** a text that the code, target, title or note contains, in any case */
  readonly q?: string | undefined
  /** a link has all of them */
  readonly tag?: readonly string[] | undefined
  readonly state?: ListedState | undefined
  readonly owner_id?: string | undefined
  /** made at this time or later; ISO 8601 */
  readonly created_from?: string | undefined
  /** made before this time */
  readonly created_to?: string | undefined
}

/** States as lists name them. */
export const LISTED_STATES = ['active', 'inactive', 'expired'] as const
export type ListedState = (typeof LISTED_STATES)[number]

// As stateOf() has it. Written so that the index links_special serves the last two.
const OF_STATE: Readonly<Record<ListedState, string>> = {
  active: `active and (starts_at is null or starts_at <= now()) and (expires_at is null or expires_at > now())
    and (max_visits is null or used < max_visits)`,
  inactive: '(not active or starts_at > now())',
  expired: `active and (starts_at is null or starts_at <= now()) and (expires_at <= now() or used >= max_visits)`,
}
export const LISTED_AS: Readonly<Record<LinkState, ListedState>> = {
  open: 'active',
  absent: 'inactive',
  expired: 'expired',
}

/** As the index links_search has it. No text of a search holds the line break between them. */
const TEXT = `lower(code || E'\\n' || target || E'\\n' || coalesce(title, '') || E'\\n' || coalesce(note, ''))`

/** A page of the links that the binding reaches. Searches take their turn in `searches`. */
export const pageOfLinks = async (
  database: Database,
  binding: Binding,
  query: LinkPageQuery,
  searches: Gate,
): Promise<Page<Link>> => {
  const { limit, sort, q, tag = [] } = query
  const isSearch = q !== undefined || tag.length > 0
  const rows = isSearch
    ? await searches(() => search(database, binding, toStatement(searchFor(binding, query))))
    : await read<LinkRow>(database, binding, prepared(listed(ownedRows('links', 'owner_id', binding)(), query)))
  return pageOf(rows.map(toLink), limit, sort, keyOf(sort))
}

const byCode = (sort: LinkSort): boolean => sort.endsWith('code')

/** The rows of one page, and one more. */
const listed = (rows: Knex.QueryBuilder, query: LinkPageQuery): Knex.QueryBuilder => {
  const { limit, sort, cursor, state, owner_id: owner, created_from: from, created_to: to } = query
  const [column, direction] = [byCode(sort) ? 'code' : 'created_at', sort.startsWith('-') ? 'desc' : 'asc']
  rows
    .select(...LINK_ROW)
    .orderBy(column, direction)
    .limit(limit + 1)
  if (!byCode(sort)) rows.orderBy('id', direction)
  if (owner !== undefined) rows.where('owner_id', owner)
  if (state !== undefined) rows.whereRaw(OF_STATE[state])
  if (from !== undefined) rows.where('created_at', '>=', from)
  if (to !== undefined) rows.where('created_at', '<', to)
  if (cursor !== undefined) {
    const after = direction === 'asc' ? '>' : '<'
    const key = parseCursor(cursor, sort, byCode(sort) ? isCode : isTimeAndId)
    if (byCode(sort)) rows.where('code', after, key)
    else rows.whereRaw(`(created_at, id) ${after} (?, ?)`, key.split(' '))
  }
  return rows
}

const keyOf =
  (sort: LinkSort) =>
  ({ code, created_at: time, id }: Link): string =>
    byCode(sort) ? code : timeAndId(time, id)

/**
 * A list by text or tags. LIKE and @> are not leakproof, so PostgreSQL uses no index for them under row-level security.
 * Where that leaves the caller's own rows, a view of just these rows finds them by the index, and the rows themselves
 * are read under row-level security as ever (docs/decisions/0024).
 */
const searchFor = (binding: Binding, query: LinkPageQuery): Knex.QueryBuilder => {
  const { q, tag = [], cursor: _, ...list } = query
  const found = listed(ownedRows(binding.reach === 'own' ? 'own_links' : 'links', 'owner_id', binding)(), query)
  if (q !== undefined) {
    const pattern = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    found.whereRaw(`${TEXT} like lower(?)`, [pattern])
  }
  if (tag.length > 0) found.whereRaw('tags @> ?::text[]', [[...tag]])
  if (binding.reach !== 'own') return found
  return listed(ownedRows('links', 'owner_id', binding)(), list).whereIn('id', found.clearSelect().select('id'))
}

/** What one search may cost: one that no index serves reads every link that the caller reaches. */
export const SEARCH_MS = 1_000

/** Sends a search under its own deadline. It is not prepared: the best plan depends on the text. */
const search = async (database: Database, binding: Binding, query: Statement): Promise<readonly LinkRow[]> => {
  const deadline = binding.deadline.within(SEARCH_MS)
  const [, result] = await database.flush([binding.enterRead, query], deadline).catch((error: unknown) => {
    if (!isDeadlineExceeded(error)) throw error
    throw deadlineExceeded({ detail: 'The search took too long. Search for a longer text.', cause: error })
  })
  return result?.rows ?? []
}
