import type { FormatName } from '../../../import/formats.js'
import { columnName, type Field } from '../../../import/words.js'
import { mappedColumns, type Mapping } from './rows.js'

/** Stands for "as in the format". No column has this name, because column names are reduced to letters and digits. */
export const BY_FORMAT = '*'
export const LEFT_OUT = ''

/** The choice for a field that the user has not mapped: in our own format, the column with its name. */
const defaultChoice = (field: Field, columns: readonly string[], format: FormatName, map: Mapping): string => {
  if (format !== 'csv') return BY_FORMAT
  const own = columnName(field)
  return columns.some((column) => columnName(column) === own) && !mappedColumns(map).has(own) ? own : LEFT_OUT
}

/** What is chosen for a field: a column by its reduced name, `BY_FORMAT` or `LEFT_OUT`. */
export const choiceOf = (field: Field, columns: readonly string[], format: FormatName, map: Mapping): string => {
  const given = map.get(field)
  return given === undefined ? defaultChoice(field, columns, format, map) : (given ?? LEFT_OUT)
}

/** The mapping with another choice for a field. */
export const withChoice = (
  field: Field,
  choice: string,
  columns: readonly string[],
  format: FormatName,
  map: Mapping,
): Mapping => {
  const changed = new Map(map)
  if (choice === defaultChoice(field, columns, format, map)) changed.delete(field)
  else changed.set(field, choice === LEFT_OUT ? null : choice)
  return changed
}
