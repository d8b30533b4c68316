import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { LINK_ROW, toLink, visitsOf, type LinkRow } from '../../database/link-row.js'
import type { Deadline } from '../../domain/deadline.js'
import { isId } from '../../domain/id.js'
import type { Link } from '../../domain/link.js'
import type { Binding } from './context.js'
import { pageOf, parseCursor, type Page } from './keyset.js'
import { SEARCH_MS, ask, filtered, isSearch, matching, type LinkPageQuery } from './link-page.js'
import { searchable } from './link-rows.js'
import { knex, ownedRows } from './query.js'

type ByVisits = LinkPageQuery & { readonly sort: 'visits' | '-visits' }

export const isByVisits = (query: LinkPageQuery): query is ByVisits => query.sort.endsWith('visits')

/** Where a page begins: after the link with this many visits and this id. */
interface Place {
  readonly visits: number
  readonly id: string
}

/** A page of the links that the binding reaches, sorted by visits: most first, or fewest first. */
export const pageByVisits = async (
  database: Database,
  binding: Binding,
  query: ByVisits,
  searches: Gate,
): Promise<Page<Link>> => {
  const { limit, sort, cursor } = query
  const place = cursor === undefined ? null : placeOf(parseCursor(cursor, sort, isPlace))
  const deadline = binding.deadline.within(SEARCH_MS)
  const rows = await searches(() =>
    isSearch(query)
      ? ask<LinkRow>(database, binding, found(binding, query, place), deadline)
      : listed(database, binding, query, place, deadline),
  )
  const links = rows.map(toLink).sort(inOrder(sort))
  return pageOf(links, limit, sort, ({ visits, id }) => `${visits.total} ${id}`)
}

const isPlace = (key: string): boolean => {
  const [visits = '', id, ...more] = key.split(' ')
  return /^\d{1,15}$/.test(visits) && isId(id) && more.length === 0
}

const placeOf = (key: string): Place => {
  const [visits = '', id = ''] = key.split(' ')
  return { visits: Number(visits), id }
}

const directionOf = (sort: ByVisits['sort']) => (sort === 'visits' ? 'desc' : 'asc')
const after = (sort: ByVisits['sort']) => (sort === 'visits' ? '<' : '>')

const inOrder = (sort: ByVisits['sort']) => (a: Link, b: Link) => {
  const difference = a.visits.total - b.visits.total || (BigInt(a.id) < BigInt(b.id) ? -1 : 1)
  return sort === 'visits' ? -difference : difference
}

/**
 * Visited links come in order from an index. Unvisited ones have no count, so a second query adds them after or before.
 */
const listed = async (
  database: Database,
  binding: Binding,
  query: ByVisits,
  place: Place | null,
  deadline: Deadline,
): Promise<readonly LinkRow[]> => {
  const parts = query.sort === 'visits' ? [visited, unvisited] : [unvisited, visited]
  const begin = place === null ? 0 : parts.indexOf(place.visits > 0 ? visited : unvisited)
  const rows: LinkRow[] = []
  for (const [n, part] of parts.slice(begin).entries()) {
    if (rows.length > query.limit) break
    rows.push(...(await ask<LinkRow>(database, binding, part(binding, query, n === 0 ? place : null), deadline)))
  }
  return rows.slice(0, query.limit + 1)
}

const visited = (binding: Binding, query: ByVisits, place: Place | null): Knex.QueryBuilder => {
  const { sort, limit, owner_id: owner } = query
  const counts = ownedRows('visit_counts', binding)().select('*').where('visits', '>', 0)
  if (owner !== undefined) counts.where('owner_id', owner)
  if (place !== null) counts.whereRaw(`(visits, link_id) ${after(sort)} (?, ?)`, [place.visits, place.id])
  const links = filtered(ownedRows('links', binding)().select(...LINK_ROW), query)
  return knex
    .select('links.*', knex.raw(visitsOf('links')))
    .from(counts.as('counts'))
    .join(links.as('links'), 'links.id', 'counts.link_id')
    .orderBy('counts.visits', directionOf(sort))
    .orderBy('counts.link_id', directionOf(sort))
    .limit(limit + 1)
}

const unvisited = (binding: Binding, query: ByVisits, place: Place | null): Knex.QueryBuilder => {
  const { sort, limit } = query
  const counts = knex.select(knex.raw('1')).from('visit_counts as v').whereRaw('v.link_id = links.id and v.visits > 0')
  const links = filtered(ownedRows('links', binding)().select(...LINK_ROW), query).whereNotExists(counts)
  if (place !== null) links.where('id', after(sort), place.id)
  return links.orderBy('id', directionOf(sort)).limit(limit + 1)
}

/** Finds all matches of a search, then sorts them: no index serves both search and order (docs/decisions/0024). */
const found = (binding: Binding, query: ByVisits, place: Place | null): Knex.QueryBuilder => {
  const { sort, limit } = query
  const source = searchable(binding)
  const first = knex('hits')
    .leftJoin('visit_counts as v', 'v.link_id', 'hits.id')
    .select('hits.id')
    .orderByRaw(`coalesce(v.visits, 0) ${directionOf(sort)}, hits.id ${directionOf(sort)}`)
    .limit(limit + 1)
  if (place !== null) first.whereRaw(`(coalesce(v.visits, 0), hits.id) ${after(sort)} (?, ?)`, [place.visits, place.id])
  return ownedRows('links', binding)()
    .withMaterialized('hits', matching(filtered(source().select('id'), query), query))
    .select(...LINK_ROW, knex.raw(visitsOf('links')))
    .whereIn('id', first)
}
