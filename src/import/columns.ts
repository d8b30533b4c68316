import { FIELDS, REASONS, columnName, type ImportFormat } from './words.js'

/**
 * The first field that the format needs and that no column provides; undefined if none is missing. `mapped`: fields
 * from mapped columns. `taken`: columns that are mapped or left out.
 */
export const missingField = (
  columns: readonly string[],
  { needs }: ImportFormat,
  mapped: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): string | undefined => {
  const there = new Set(columns.map(columnName).filter((name) => !taken.has(name)))
  return Object.entries(needs).find(
    ([field, names]) => !mapped.has(field) && !names.some((name) => there.has(name)),
  )?.[0]
}

/** Columns of a CSV in our format that are not our fields. `taken`: columns that are mapped or left out. */
export const ignoredColumns = (columns: readonly string[], taken: ReadonlySet<string>): readonly string[] => {
  const known = new Set([...FIELDS.map(columnName), ...taken, ...REASONS.map(columnName), ''])
  return columns.filter((column) => !known.has(columnName(column)))
}
