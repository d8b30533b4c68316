import { stringify } from 'csv-stringify/sync'

import { guardCell } from './cell.js'

/**
 * Formats records as CSV, guarded against formula injection. `columns`: the fields in order, and their names for the
 * header line. Without it, each record is a list of cells and there is no header.
 */
export const formatCsv = (
  records: readonly object[],
  columns?: readonly string[] | Readonly<Record<string, string>>,
  delimiter = ',',
): string =>
  stringify([...records], { delimiter, cast: { string: guardCell }, ...(columns && { header: true, columns }) })
