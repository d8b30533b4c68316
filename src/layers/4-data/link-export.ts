import type { CopyFormat } from './query.js'

/** Forms in which links are exported. */
export type LinkFormat = 'csv' | 'ndjson'

/** How a link is written down: what stands above the first, what COPY makes a line of, and how it does. */
export interface LinkForm {
  readonly head: string
  readonly line: string
  readonly format: CopyFormat
}

/**
 * ISO 8601, cut to the millisecond. A microsecond more lets no zero at the end of the fraction be left out, so that all
 * are of one length. Whole numbers are counted, and no name of a zone or a unit is looked up: that and to_char() cost
 * the double and more.
 */
const utc = (column: string): string =>
  `substr(to_json(date_bin('1 millisecond', ${column} at time zone interval '0', timestamp '0001-01-01') + interval '1 microsecond')::text, 2, 23) || 'Z'`

/** What the lines are made of: the columns of a link, and the time of its creation as text. */
export const LINK_COLUMNS = `id, code, target, owner_id, created_at, updated_at, ${utc('created_at')} as created`

// most links are never changed: their second time is their first
const UPDATED = `case when updated_at = created_at then created else ${utc('updated_at')} end`

/**
 * A link as one line of text, made by PostgreSQL from LINK_COLUMNS: of a million links the service then passes bytes
 * on, and reads no value.
 */
export const LINK_FORMS: Readonly<Record<LinkFormat, LinkForm>> = {
  csv: {
    head: 'id,code,target,owner_id,created_at,updated_at\n',
    line: `id, code, target, owner_id, created, ${UPDATED}`,
    format: 'csv',
  },
  ndjson: {
    head: '',
    // the same for every link: what an id, a code and a time are made of needs no escape
    line: `'{"id":"' || id || '","code":"' || code || '","target":' || to_json(target) || ',"owner_id":' || coalesce('"' || owner_id || '"', 'null')
      || ',"created_at":"' || created || '","updated_at":"' || ${UPDATED} || '"}'`,
    format: 'json lines',
  },
}
