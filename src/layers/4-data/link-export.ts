import { guardedColumn } from '../../csv/cell.js'
import { filtered, isSearch, matching, type LinkFilter } from './link-page.js'
import { searchable } from './link-rows.js'
import { knex, ownedRows, toCopy, type CopyFormat, type Reached } from './query.js'

export type LinkFormat = 'csv' | 'ndjson'

/** How an export is written: the file's first line, the SQL expression of a row, and COPY's format. */
export interface LinkForm {
  readonly head: string
  readonly line: string
  readonly format: CopyFormat
}

/** A column of an export: the SQL expressions of its CSV cell and its JSON value. */
interface ExportColumn {
  readonly csv: string
  readonly json: string
}

const asJson = (column: string) => `coalesce(to_json(${column})::text, 'null')`

/** A text by somebody: guarded in CSV, escaped in JSON. */
export const text = (column: string): ExportColumn => ({ csv: guardedColumn(column), json: asJson(column) })

/** An id, a code or a time, which contain nothing that JSON escapes. */
export const plain = (column: string): ExportColumn => ({
  csv: column,
  json: `coalesce('"' || ${column} || '"', 'null')`,
})

/** A number or a boolean. */
export const value = (column: string): ExportColumn => ({
  csv: `${column}::text`,
  json: `coalesce(${column}::text, 'null')`,
})

/**
 * Both forms of an export, with these columns in order. PostgreSQL builds the lines; the service passes the bytes on
 * without parsing a value.
 */
export const formsOf = (columns: Readonly<Record<string, ExportColumn>>): Readonly<Record<LinkFormat, LinkForm>> => {
  const members = Object.entries(columns).map(([name, { json }]) => `'"${name}":' || ${json}`)
  return {
    csv: {
      head: `${Object.keys(columns).join(',')}\n`,
      line: Object.values(columns)
        .map(({ csv }) => csv)
        .join(', '),
      format: 'csv',
    },
    ndjson: { head: '', line: `'{' || ${members.join(` || ',' || `)} || '}'`, format: 'json lines' },
  }
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
  tags: { csv: `array_to_string(tags, ',')`, json: asJson('tags') },
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
export const copyOfLinks = (reached: Reached, name: LinkFormat, filter: LinkFilter): string => {
  const { line, format } = LINK_FORMS[name]
  const links = filtered(ownedRows('links', reached)(), filter)
  if (isSearch(filter)) links.whereIn('id', matching(searchable(reached)().select('id'), filter))
  const columns = links.select('created_at', knex.raw(LINK_COLUMNS)).orderBy(OLDEST_FIRST)
  // `offset 0` stops PostgreSQL from inlining the subquery, and with it each expression in every place of use
  const rows = knex(knex.raw('(? offset 0) as links', [columns]))
  return toCopy(rows.select(knex.raw(line)).orderBy(OLDEST_FIRST), format)
}
