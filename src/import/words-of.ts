import type { SourceRecord } from './source-record.js'
import { codeOf } from './words.js'
import type { Cell, Field, ImportFormat, Words } from './words.js'

/**
 * The links of one record in our words, mostly one, or why it is none. `map`: columns (`columnName`) that are one of
 * our fields, whatever the format says of them; null: the field is left out.
 */
export const wordsOf = (
  record: SourceRecord,
  format: ImportFormat,
  map: ReadonlyMap<Field, string | null>,
): readonly Words[] | { readonly reason: string } => {
  if (record.fault !== undefined) return { reason: record.fault }
  const cell = cellOf(record, format)
  const read = format.read(cell)
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
