import { guardedColumn } from '../../csv/cell.js'
import type { CopyFormat } from './query.js'

export type ExportFormat = 'csv' | 'ndjson'

/** How an export is written: the file's first line, the SQL expression of a row, and COPY's format. */
export interface ExportForm {
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
export const formsOf = (
  columns: Readonly<Record<string, ExportColumn>>,
): Readonly<Record<ExportFormat, ExportForm>> => {
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
