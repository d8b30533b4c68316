import { FIELDS, columnName } from './words.js'
import type { ImportFormat } from './words.js'

/** A field that the format needs and no column is; undefined: none is missing. `mapped`: fields by other columns. */
export const missingField = (
  columns: readonly string[],
  { needs }: ImportFormat,
  mapped: ReadonlySet<string>,
): string | undefined => {
  const there = new Set(columns.map(columnName))
  return Object.entries(needs).find(
    ([field, names]) => !mapped.has(field) && !names.some((name) => there.has(name)),
  )?.[0]
}

/** Columns of a CSV of ours that are none of our fields. `mapped`: columns that are by another name. */
export const ignoredColumns = (columns: readonly string[], mapped: ReadonlySet<string>): readonly string[] => {
  const known = new Set([...FIELDS.map(columnName), ...mapped, 'reason', ''])
  return columns.filter((column) => !known.has(columnName(column)))
}
