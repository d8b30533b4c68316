import { stringify } from 'csv-stringify/sync'

import { guardCell } from './cell.js'

/**
 * Writes records as CSV in which no text is a formula to a spreadsheet. `columns`: which fields are written, in this
 * order, and their names in the first line; without it each record is a list of cells, and no line names them.
 * `delimiter`: what separates cells.
 */
export const formatCsv = (
  records: readonly object[],
  columns?: readonly string[] | Readonly<Record<string, string>>,
  delimiter = ',',
): string =>
  stringify([...records], { delimiter, cast: { string: guardCell }, ...(columns && { header: true, columns }) })
