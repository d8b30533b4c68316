import { guardedColumn } from '../../csv/cell.js'
import { filtered, isSearch, matching } from './link-page.js'
import type { LinkFilter } from './link-page.js'
import { searchable } from './link-rows.js'
import { knex, ownedRows, toCopy } from './query.js'
import type { CopyFormat, Reached } from './query.js'

/** Export formats. */
export type LinkFormat = 'csv' | 'ndjson'

/** How an export is written: the file's first line, the SQL expression of a row, and COPY's format. */
export interface LinkForm {
  readonly head: string
  readonly line: string
  readonly format: CopyFormat
}

/**
 * A time as ISO 8601 in UTC with milliseconds, the stored precision. Adding a microsecond keeps the trailing zeros, so
 * the text has a fixed length. to_char(), and names of zones and units, took more than twice as long.
 */
export const utc = (column: string): string =>
  `substr(to_json(${column} at time zone interval '0' + interval '1 microsecond')::text, 2, 23) || 'Z'`

/** The columns that an exported line uses: those of a link, with its times as text. */
const LINK_COLUMNS = [
  'id, code, target, owner_id, title, note, tags, status, active, max_visits, has_password, forward_query',
  // Formatting a time is expensive. Most links were never updated and have no start or end, so it is skipped.
  `${utc('created_at')} as created`,
  `case when updated_at <> created_at then ${utc('updated_at')} end as updated`,
  ...['starts_at', 'expires_at'].map((time) => `case when ${time} is not null then ${utc(time)} end as ${time}`),
].join(', ')

const UPDATED = 'coalesce(updated, created)'

const CSV: Readonly<Record<string, string>> = {
  id: 'id',
  code: guardedColumn('code'),
  target: guardedColumn('target'),
  owner_id: 'owner_id',
  created_at: 'created',
  updated_at: UPDATED,
  title: guardedColumn('title'),
  note: guardedColumn('note'),
  // tags contain no commas
  tags: `array_to_string(tags, ',')`,
  status: 'status',
  active: 'active::text',
  starts_at: 'starts_at',
  expires_at: 'expires_at',
  max_visits: 'max_visits',
  has_password: 'has_password::text',
  forward_query: 'forward_query::text',
}

export const jsonText = (column: string) => `coalesce(to_json(${column})::text, 'null')`
// for ids, codes and times, which contain nothing that JSON escapes
export const jsonQuoted = (value: string) => `coalesce('"' || ${value} || '"', 'null')`

const JSON_MEMBERS: Readonly<Record<string, string>> = {
  id: jsonQuoted('id'),
  code: jsonQuoted('code'),
  target: jsonText('target'),
  owner_id: jsonQuoted('owner_id'),
  created_at: jsonQuoted('created'),
  updated_at: jsonQuoted(UPDATED),
  title: jsonText('title'),
  note: jsonText('note'),
  tags: jsonText('tags'),
  status: 'status',
  active: jsonText('active'),
  starts_at: jsonQuoted('starts_at'),
  expires_at: jsonQuoted('expires_at'),
  max_visits: jsonText('max_visits'),
  has_password: jsonText('has_password'),
  forward_query: jsonText('forward_query'),
}

/** The SQL expression of a JSON line, built from those of its members. */
export const jsonLine = (members: Readonly<Record<string, string>>): string =>
  `'{' || ${Object.entries(members)
    .map(([name, value]) => `'"${name}":' || ${value}`)
    .join(` || ',' || `)} || '}'`

/** PostgreSQL builds the lines from LINK_COLUMNS. The service passes the bytes on without parsing a value. */
export const LINK_FORMS: Readonly<Record<LinkFormat, LinkForm>> = {
  csv: {
    head: `${Object.keys(CSV).join(',')}\n`,
    line: Object.values(CSV).join(', '),
    format: 'csv',
  },
  ndjson: {
    head: '',
    line: jsonLine(JSON_MEMBERS),
    format: 'json lines',
  },
}

/** Both indexes by time have this order: the one of all links, and the one of each owner's. */
const OLDEST_FIRST = ['created_at', 'id']

/** The COPY of all listed links. */
export const copyOfLinks = (reached: Reached, name: LinkFormat, filter: LinkFilter): string => {
  const { line, format } = LINK_FORMS[name]
  const links = filtered(ownedRows('links', reached)(), filter)
  if (isSearch(filter)) links.whereIn('id', matching(searchable(reached)().select('id'), filter))
  const columns = links.select('created_at', knex.raw(LINK_COLUMNS)).orderBy(OLDEST_FIRST)
  // `offset 0` stops PostgreSQL from inlining the subquery, and with it each expression in every place of use
  const rows = knex(knex.raw('(? offset 0) as links', [columns]))
  return toCopy(rows.select(knex.raw(line)).orderBy(OLDEST_FIRST), format)
}
