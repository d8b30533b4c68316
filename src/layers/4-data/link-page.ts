import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { LINK_ROW, toLink, visitsOf, type LinkRow } from '../../database/link-row.js'
import { MOST_COUNTED } from '../../domain/counted.js'
import { adviseIfLate, type Deadline } from '../../domain/deadline.js'
import { isCode, type Link } from '../../domain/link.js'
import { storedForms } from '../../domain/stored-forms.js'
import { read, type Binding, type ReadIdentity } from './context.js'
import { countOf, countRows, numberIn, type CountRow } from './count.js'
import { isTimeAndId, pageOf, parseCursor, timeAndId, type Page, type PageQuery } from './keyset.js'
import { searchable } from './link-rows.js'
import { knex, ownedRows, prepared } from './query.js'

/** `visits`: most visits first; `-visits`: fewest first. */
export const LINK_SORTS = ['-created_at', 'created_at', 'code', '-code', 'visits', '-visits'] as const
type LinkSort = (typeof LINK_SORTS)[number]

export interface LinkFilter {
  /** text that the code, target, title or note contains, ignoring case */
  readonly q?: string | undefined
  /** tags that a link must have, all of them */
  readonly tag?: readonly string[] | undefined
  readonly state?: ListedState | undefined
  readonly owner_id?: string | undefined
  /** created at this time or later; ISO 8601 */
  readonly created_from?: string | undefined
  /** created before this time */
  readonly created_to?: string | undefined
}

export interface LinkPageQuery extends LinkFilter, PageQuery {
  readonly sort: LinkSort
}

/** The states that a list can be filtered by. */
export const LISTED_STATES = ['active', 'inactive', 'expired'] as const
type ListedState = (typeof LISTED_STATES)[number]

// The same states as stateOf(). Written so that the index links_special serves the last two.
const OF_STATE: Readonly<Record<ListedState, string>> = {
  active: `active and (starts_at is null or starts_at <= now()) and (expires_at is null or expires_at > now())
    and (max_visits is null or used < max_visits)`,
  inactive: '(not active or starts_at > now())',
  expired: `active and (starts_at is null or starts_at <= now()) and (expires_at <= now() or used >= max_visits)`,
}

/** Must match the expression of the index links_search. The line breaks prevent matches across two columns. */
const TEXT = `lower((code || E'\\n' || target || E'\\n' || coalesce(title, '') || E'\\n' || coalesce(note, ''))
  collate "default")`

/** A page of the links that the binding reaches, in any order but by visits. `searches` limits concurrent searches. */
export const pageOfLinks = async (
  database: Database,
  binding: Binding,
  query: LinkPageQuery,
  searches: Gate,
): Promise<Page<Link>> => {
  const { limit, sort } = query
  const rows = isSearch(query)
    ? await searches(() => search(database, binding, query))
    : await read<LinkRow>(database, binding, prepared(withVisits(listed(ownedRows('links', binding)(), query))))
  return pageOf(rows.map(toLink), limit, sort, keyOf(sort))
}

/** How many links a list has on all pages, up to MOST_COUNTED. */
export const countLinks = async (
  database: Database,
  binding: Binding,
  query: LinkFilter,
  searches: Gate,
): Promise<number> => {
  const links = ownedRows('links', binding)
  if (!isSearch(query)) return countRows(database, binding, filtered(links(), query))
  // found the same way as in lookUp()
  const source = searchable(binding)
  const hits = matching(filtered(source().select('id'), query), query).limit(MOST_COUNTED)
  const deadline = binding.deadline.within(SEARCH_MS)
  return searches(async () =>
    numberIn(await ask<CountRow>(database, binding, countOf(links().whereIn('id', hits)), deadline)),
  )
}

export const isSearch = ({ q, tag = [] }: LinkFilter): boolean => q !== undefined || tag.length > 0

const byCode = (sort: LinkSort): boolean => sort.endsWith('code')

const directionOf = (sort: LinkSort) => (sort.startsWith('-') ? 'desc' : 'asc')

/** Links of the same millisecond are sorted by id. */
const inOrder = (rows: Knex.QueryBuilder, sort: LinkSort): Knex.QueryBuilder =>
  byCode(sort)
    ? rows.orderBy('code', directionOf(sort))
    : rows.orderBy('created_at', directionOf(sort)).orderBy('id', directionOf(sort))

/** The rows of one page, plus one more. */
const listed = (rows: Knex.QueryBuilder, query: LinkPageQuery): Knex.QueryBuilder =>
  inOrder(narrowed(rows.select(...LINK_ROW), query), query.sort).limit(query.limit + 1)

const withVisits = (rows: Knex.QueryBuilder): Knex.QueryBuilder => rows.select(knex.raw(visitsOf('links')))

/** Applies a list's filters, except search and cursor. */
export const filtered = (rows: Knex.QueryBuilder, query: LinkFilter): Knex.QueryBuilder => {
  const { state, owner_id: owner, created_from: from, created_to: to } = query
  if (owner !== undefined) rows.where('owner_id', owner)
  if (state !== undefined) rows.whereRaw(OF_STATE[state])
  if (from !== undefined) rows.where('created_at', '>=', from)
  if (to !== undefined) rows.where('created_at', '<', to)
  return rows
}

const narrowed = (rows: Knex.QueryBuilder, query: LinkPageQuery): Knex.QueryBuilder => {
  const { sort, cursor } = query
  filtered(rows, query)
  if (cursor !== undefined) {
    const after = directionOf(sort) === 'asc' ? '>' : '<'
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

/** Applies the search for text and tags. */
export const matching = (rows: Knex.QueryBuilder, { q, tag = [] }: LinkFilter): Knex.QueryBuilder => {
  if (q !== undefined) {
    const patterns = storedForms(q).map((form) => `%${form.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
    rows.whereRaw(`(${patterns.map(() => `${TEXT} like lower(?)`).join(' or ')})`, patterns)
  }
  if (tag.length > 0) rows.whereRaw(`tags @> array[${tag.map(() => '?').join()}]::text[]`, tag)
  return rows
}

/** How many links of a list a search scans before it uses the index. */
const WALKED = 1_000

/**
 * Searches by scanning the first links of the list, in its order. That is enough for a common text, or a caller with
 * few links. Each row also has the number of scanned links. If nothing was found, the only row has nulls and that
 * number.
 */
const walk = (binding: Binding, query: LinkPageQuery): Knex.QueryBuilder => {
  const { limit, sort } = query
  const rows = listed(ownedRows('links', binding)(), { ...query, limit: WALKED - 1 })
  const found = inOrder(matching(knex('walked').select('*'), query), sort).limit(limit + 1)
  const all = knex
    .with('walked', rows)
    .select('found.*', knex.raw(visitsOf('found')), 'all.walked')
    .from(knex('walked').select(knex.raw('count(*)::int as walked')).as('all'))
    .leftJoin(found.as('found'), knex.raw('true'))
  return inOrder(all, sort)
}

/**
 * Searches by index, for a rare text, and reads the rows under row-level security as usual. The matches are
 * materialized before they are sorted: otherwise, PostgreSQL would rather scan every link in order.
 */
const lookUp = (binding: Binding, query: LinkPageQuery): Knex.QueryBuilder => {
  const { cursor: _, ...list } = query
  const source = searchable(binding)
  const hits = matching(narrowed(source().select('id', 'code', 'created_at'), query), query)
  const first = inOrder(knex('hits').select('id'), query.sort).limit(query.limit + 1)
  return withVisits(listed(ownedRows('links', binding)(), list))
    .withMaterialized('hits', hits)
    .whereIn('id', first)
}

/** Timeout of a search in milliseconds: without an index it reads every link that the caller reaches. */
export const SEARCH_MS = 1_000

/** Searches with a timeout of its own. Statements are not prepared, because the best plan depends on the text. */
const search = async (database: Database, binding: Binding, query: LinkPageQuery): Promise<readonly LinkRow[]> => {
  const deadline = binding.deadline.within(SEARCH_MS)
  const walked = await ask<Walked>(database, binding, walk(binding, query), deadline)
  const found = walked.filter((row): row is Walked & LinkRow => row.id !== null)
  const isWhole = found.length > query.limit || (walked[0]?.walked ?? 0) < WALKED
  return isWhole ? found : ask<LinkRow>(database, binding, lookUp(binding, query), deadline)
}

/** Sends one query of a search, with a helpful error if it times out. */
export const ask = async <Row>(
  database: Database,
  reader: ReadIdentity,
  query: Knex.QueryBuilder,
  deadline: Deadline,
): Promise<readonly Row[]> =>
  read<Row>(database, reader, query, deadline).catch(adviseIfLate('This took too long. Narrow the search.'))

type Walked = { readonly [Name in keyof LinkRow]: LinkRow[Name] | null } & { readonly walked: number }
