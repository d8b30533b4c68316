import { missingField } from '../../../import/columns.js'
import { FORMATS, type FormatName } from '../../../import/formats.js'
import { columnName } from '../../../import/words.js'

/** Columns that occur only in one format. */
const TELLING: readonly (readonly [string, FormatName])[] = [
  ['shortcode', 'shlink'],
  ['address', 'kutt'],
  ['keyword', 'yourls'],
]

/** The order of attempts: a column `link` means Bitly only if nothing else fits. */
const TRIED: readonly FormatName[] = ['csv', 'bitly', 'shlink', 'kutt', 'yourls']

const NONE = new Set<string>()

/** Detects the format by the columns; our own if nothing fits, so that the user maps the columns. */
export const detectFormat = (columns: readonly string[]): FormatName => {
  const names = new Set(columns.map(columnName))
  const fits = (name: FormatName): boolean => missingField(columns, FORMATS[name], NONE, NONE) === undefined
  if (names.has('code') && fits('csv')) return 'csv'
  const told = TELLING.find(([column, name]) => names.has(column) && fits(name))
  return told?.[1] ?? TRIED.find((name) => name !== 'csv' && fits(name)) ?? 'csv'
}
