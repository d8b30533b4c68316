import { guardedColumn } from '../../domain/csv-cell.js'
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
 * ISO 8601, cut to the millisecond. The added microsecond keeps trailing zeros, so that all have one length. to_char(),
 * and names of zones and units, took more than twice as long.
 */
const utc = (column: string): string => {
  const time = `${column} at time zone interval '0'`
  const cut = `date_bin('1 millisecond', ${time}, timestamp '0001-01-01') + interval '1 microsecond'`
  return `substr(to_json(${cut})::text, 2, 23) || 'Z'`
}

/** The columns that a line is made of: those of a link, and its creation time as text. */
export const LINK_COLUMNS = `id, code, target, owner_id, created_at, updated_at, ${utc('created_at')} as created`

// most links are never changed, so that one time serves as both
const UPDATED = `case when updated_at = created_at then created else ${utc('updated_at')} end`

/** PostgreSQL writes the lines from LINK_COLUMNS, so that the service passes on bytes and parses no value. */
export const LINK_FORMS: Readonly<Record<LinkFormat, LinkForm>> = {
  csv: {
    head: 'id,code,target,owner_id,created_at,updated_at\n',
    line: `id, ${guardedColumn('code')}, ${guardedColumn('target')}, owner_id, created, ${UPDATED}`,
    format: 'csv',
  },
  ndjson: {
    head: '',
    // ids, codes and times hold no character that JSON escapes
    line: [
      `'{"id":"' || id || '","code":"' || code || '","target":' || to_json(target)`,
      `',"owner_id":' || coalesce('"' || owner_id || '"', 'null')`,
      `',"created_at":"' || created || '","updated_at":"' || ${UPDATED} || '"}'`,
    ].join(' || '),
    format: 'json lines',
  },
}
