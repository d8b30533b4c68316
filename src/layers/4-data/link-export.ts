import { guardedColumn } from '../../csv/cell.js'
import type { CopyFormat } from './query.js'

/** Forms in which links are exported. */
export type LinkFormat = 'csv' | 'ndjson'

/** How a link is written: the head of the file, the expression of a line, and COPY's format. */
export interface LinkForm {
  readonly head: string
  readonly line: string
  readonly format: CopyFormat
}

/**
 * ISO 8601 with milliseconds, as they are stored. The added microsecond keeps trailing zeros, so that all have one
 * length. to_char(), and names of zones and units, took more than twice as long.
 */
export const utc = (column: string): string =>
  `substr(to_json(${column} at time zone interval '0' + interval '1 microsecond')::text, 2, 23) || 'Z'`

/** The columns that a line is made of: those of a link, with its times as texts. */
export const LINK_COLUMNS = [
  'id, code, target, owner_id, title, note, tags, status, active, max_visits, has_password, forward_query',
  // most links are never changed, and have no times of their own
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
  // no tag holds a comma
  tags: `array_to_string(tags, ',')`,
  status: 'status',
  active: 'active::text',
  starts_at: 'starts_at',
  expires_at: 'expires_at',
  max_visits: 'max_visits',
  has_password: 'has_password::text',
  forward_query: 'forward_query::text',
}

export const text = (column: string) => `coalesce(to_json(${column})::text, 'null')`
// ids, codes and times hold no character that JSON escapes
export const quoted = (value: string) => `coalesce('"' || ${value} || '"', 'null')`

const JSON_MEMBERS: Readonly<Record<string, string>> = {
  id: quoted('id'),
  code: quoted('code'),
  target: text('target'),
  owner_id: quoted('owner_id'),
  created_at: quoted('created'),
  updated_at: quoted(UPDATED),
  title: text('title'),
  note: text('note'),
  tags: text('tags'),
  status: 'status',
  active: text('active'),
  starts_at: quoted('starts_at'),
  expires_at: quoted('expires_at'),
  max_visits: text('max_visits'),
  has_password: text('has_password'),
  forward_query: text('forward_query'),
}

/** The expression of a line of JSON, from those of its members. */
export const jsonLine = (members: Readonly<Record<string, string>>): string =>
  `'{' || ${Object.entries(members)
    .map(([name, value]) => `'"${name}":' || ${value}`)
    .join(` || ',' || `)} || '}'`

/** PostgreSQL writes the lines from LINK_COLUMNS, so that the service passes on bytes and parses no value. */
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
