import { guardedColumn } from '../../csv/cell.js'
import { jsonLine, jsonQuoted, jsonText, utc } from './link-export.js'
import type { LinkForm, LinkFormat } from './link-export.js'

const TEXTS = ['referrer', 'country', 'browser', 'os', 'device']

/** When a visit was: a row has the beginning of an hour, and the milliseconds after which like visits came. */
export const VISIT_TIME = `(time + moment * interval '1 millisecond')`

export const IN_ORDER = ['time', 'moment']

/** The columns that an exported line uses. */
export const VISIT_COLUMNS = [...IN_ORDER, `${utc(VISIT_TIME)} as at`, ...TEXTS, 'bot'].join(', ')

const ofTexts = (write: (column: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(TEXTS.map((column) => [column, write(column)]))

const CSV = { time: 'at', ...ofTexts(guardedColumn), bot: 'bot::text' }
const JSON_MEMBERS = { time: jsonQuoted('at'), ...ofTexts(jsonText), bot: 'bot::text' }

/** How a single visit is exported. PostgreSQL builds the lines, as for links. */
export const VISIT_FORMS: Readonly<Record<LinkFormat, LinkForm>> = {
  csv: { head: `${Object.keys(CSV).join(',')}\n`, line: Object.values(CSV).join(', '), format: 'csv' },
  ndjson: { head: '', line: jsonLine(JSON_MEMBERS), format: 'json lines' },
}
