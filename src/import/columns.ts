import { FIELDS, REASONS, columnName } from './words.js'
import type { ImportFormat } from './words.js'

/**
 * The first field that the format needs and that no column provides; undefined if none is missing. `mapped`: fields
 * from mapped columns.
 */
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

/** Columns of a CSV in our format that are not our fields. `mapped`: mapped columns. */
export const ignoredColumns = (columns: readonly string[], mapped: ReadonlySet<string>): readonly string[] => {
  const known = new Set([...FIELDS.map(columnName), ...mapped, ...REASONS.map(columnName), ''])
  return columns.filter((column) => !known.has(columnName(column)))
}
