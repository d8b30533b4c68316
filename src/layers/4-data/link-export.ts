/** Forms in which links are exported. */
export type LinkFormat = 'csv' | 'ndjson'

/**
 * ISO 8601, to the millisecond. A microsecond more lets no zero at the end of the fraction be left out, so that all are of one
 * length: half the price of to_char(), and like it no matter of the session's settings.
 */
const utc = (column: string): string => `substr(to_json(date_trunc('milliseconds', ${column} at time zone 'UTC') + interval '1 microsecond')::text, 2, 23) || 'Z'`

/** RFC 4180 §2: quoted where it has to be. A code never has to. Four searches are cheaper than one regular expression. */
const quoted = (column: string): string =>
  `case when strpos(${column}, '"') + strpos(${column}, ',') + strpos(${column}, E'\\r') + strpos(${column}, E'\\n') > 0 then '"' || replace(${column}, '"', '""') || '"' else ${column} end`

/** What the lines are made of: the columns of a link, and the time of its creation as text. */
export const LINK_COLUMNS = `id, code, target, owner_id, created_at, updated_at, ${utc('created_at')} as created`

// most links are never changed: their second time is their first
const UPDATED = `case when updated_at = created_at then created else ${utc('updated_at')} end`

/**
 * A link as one line of text, made by PostgreSQL from LINK_COLUMNS: of a million links the service then reads a thousand texts, and
 * not six million values. The same for every link: what an id, a code and a time are made of needs no escape.
 */
export const LINK_LINES: Readonly<Record<LinkFormat, string>> = {
  csv: `id || ',' || code || ',' || ${quoted('target')} || ',' || coalesce(owner_id::text, '') || ',' || created || ',' || ${UPDATED} || E'\\n'`,
  ndjson: `'{"id":"' || id || '","code":"' || code || '","target":' || to_json(target) || ',"owner_id":' || coalesce('"' || owner_id || '"', 'null')
    || ',"created_at":"' || created || '","updated_at":"' || ${UPDATED} || E'"}\\n'`,
}

/** What stands above the first. */
export const LINK_HEADS: Readonly<Record<LinkFormat, string>> = { csv: 'id,code,target,owner_id,created_at,updated_at\n', ndjson: '' }
