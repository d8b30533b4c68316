import type { SourceRecord } from './source.js'
import { codeOf, type Cell, type Field, type ImportFormat, type Words } from './words.js'

/**
 * The links of one record by our field names, usually one, or the reason why there is none. `map`: columns
 * (`columnName`) by our fields, overriding the format; null: the field is left out. `taken`: columns that the format
 * does not get to see, because they are mapped or left out.
 */
export const wordsOf = (
  record: SourceRecord,
  format: ImportFormat,
  map: ReadonlyMap<Field, string | null>,
  taken: ReadonlySet<string>,
): readonly Words[] | { readonly reason: string } => {
  if (record.fault !== undefined) return { reason: record.fault }
  const cell = cellOf(record, format)
  const read = format.read((...columns) => cell(...columns.filter((column) => !taken.has(column))))
  if ('reason' in read) return read
  const mapped = Object.fromEntries(
    [...map].map(([field, column]) => {
      const text = column === null ? '' : cell(column)
      return [field, field === 'code' ? codeOf(text) : text]
    }),
  )
  return read.map((words) => ({ ...words, ...mapped }))
}

const cellOf =
  ({ cells }: SourceRecord, { isTable }: ImportFormat): Cell =>
  (...columns) => {
    const texts = columns.map((column) => cells.get(column) ?? '')
    return texts.find((text) => text !== '' && !(isTable === true && /^(?:NULL|\\N)$/.test(text))) ?? ''
  }
