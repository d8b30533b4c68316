import { missingField } from '../../../import/columns.js'
import { FORMATS } from '../../../import/formats.js'
import type { FormatName } from '../../../import/formats.js'
import { columnName } from '../../../import/words.js'

/** A column that only this format has: others share the rest. */
const TELLING: readonly (readonly [string, FormatName])[] = [
  ['shortcode', 'shlink'],
  ['address', 'kutt'],
  ['keyword', 'yourls'],
]

/** In this order: a column `link` is Bitly's where nothing else fits. */
const TRIED: readonly FormatName[] = ['csv', 'bitly', 'shlink', 'kutt', 'yourls']

/** Whose file it is, by its columns; ours where nothing fits, so that somebody says which column is what. */
export const detectFormat = (columns: readonly string[]): FormatName => {
  const names = new Set(columns.map(columnName))
  const fits = (name: FormatName): boolean => missingField(columns, FORMATS[name], new Set()) === undefined
  if (names.has('code') && fits('csv')) return 'csv'
  const told = TELLING.find(([column, name]) => names.has(column) && fits(name))
  return told?.[1] ?? TRIED.find((name) => name !== 'csv' && fits(name)) ?? 'csv'
}
