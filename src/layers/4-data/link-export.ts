import { guardedColumn } from '../../csv/cell.js'
import { formsOf, plain, text, utc, value, type ExportFormat } from './export-columns.js'
import { filtered, isSearch, matching, type LinkFilter } from './link-page.js'
import { searchable } from './link-rows.js'
import { knex, ownedRows, toCopy, type Reached } from './query.js'

/** The columns that an exported line uses: those of a link, with its times as text. */
const LINK_COLUMNS = [
  'id, code, target, owner_id, title, note, tags, status, active, max_visits, has_password, forward_query',
  // Formatting a time is expensive. Most links were never updated and have no start or end, so it is skipped.
  `${utc('created_at')} as created`,
  `case when updated_at <> created_at then ${utc('updated_at')} end as updated`,
  ...['starts_at', 'expires_at'].map((time) => `case when ${time} is not null then ${utc(time)} end as ${time}`),
].join(', ')

/** The columns of an exported link, built from LINK_COLUMNS. */
export const LINK_FORMS = formsOf({
  id: plain('id'),
  code: { ...plain('code'), csv: guardedColumn('code') },
  target: text('target'),
  owner_id: plain('owner_id'),
  created_at: plain('created'),
  updated_at: plain('coalesce(updated, created)'),
  title: text('title'),
  note: text('note'),
  // tags contain no commas
  tags: { ...text('tags'), csv: `array_to_string(tags, ',')` },
  status: value('status'),
  active: value('active'),
  starts_at: plain('starts_at'),
  expires_at: plain('expires_at'),
  max_visits: value('max_visits'),
  has_password: value('has_password'),
  forward_query: value('forward_query'),
})

/** Both indexes by time have this order: the one of all links, and the one of each owner's. */
const OLDEST_FIRST = ['created_at', 'id']

/** The COPY of all listed links. */
export const copyOfLinks = (reached: Reached, name: ExportFormat, filter: LinkFilter): string => {
  const { line, format } = LINK_FORMS[name]
  const links = filtered(ownedRows('links', reached)(), filter)
  if (isSearch(filter)) links.whereIn('id', matching(searchable(reached)().select('id'), filter))
  const columns = links.select('created_at', knex.raw(LINK_COLUMNS)).orderBy(OLDEST_FIRST)
  // `offset 0` stops PostgreSQL from inlining the subquery, and with it each expression in every place of use
  const rows = knex(knex.raw('(? offset 0) as links', [columns]))
  return toCopy(rows.select(knex.raw(line)).orderBy(OLDEST_FIRST), format)
}
