/** Forms in which links are exported. */
export type LinkFormat = 'csv' | 'ndjson'

const utc = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** RFC 4180 §2: quoted where it has to be. A code never has to. */
const quoted = (column: string): string => `case when ${column} ~ '[",\\r\\n]' then '"' || replace(${column}, '"', '""') || '"' else ${column} end`

/**
 * A link as one line of text, made by PostgreSQL: of a million links the service then parses a million texts, and not six
 * million values. The same for every link: what an id, a code and a time are made of needs no escape.
 */
export const LINK_LINES: Readonly<Record<LinkFormat, string>> = {
  csv: `id || ',' || code || ',' || ${quoted('target')} || ',' || coalesce(owner_id::text, '') || ',' || ${utc('created_at')} || ',' || ${utc('updated_at')} || E'\\n'`,
  ndjson: `'{"id":"' || id || '","code":"' || code || '","target":' || to_json(target) || ',"owner_id":' || coalesce('"' || owner_id || '"', 'null')
    || ',"created_at":"' || ${utc('created_at')} || '","updated_at":"' || ${utc('updated_at')} || E'"}\\n'`,
}

/** What stands above the first. */
export const LINK_HEADS: Readonly<Record<LinkFormat, string>> = { csv: 'id,code,target,owner_id,created_at,updated_at\n', ndjson: '' }
