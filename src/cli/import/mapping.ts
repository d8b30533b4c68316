import type { ImportOrder } from '../../import/import-links.js'
import { FIELDS, columnName } from '../../import/words.js'
import { parsed } from '../arguments.js'
import { UsageError } from '../errors.js'

/** Columns by `columnName`; null: the column is left out. */
export type Mapping = ImportOrder['map']

const pairOf = parsed(
  (text) => {
    const [, column = '', name = ''] = /^(.*)=(.*)$/s.exec(text) ?? []
    const field = name.trim() === '' ? null : FIELDS.find((each) => each === name.trim())
    return columnName(column) === '' || field === undefined ? undefined : { column: columnName(column), field }
  },
  `must be "their column=our field, …"; our fields are ${FIELDS.join(', ')}`,
)

/** `their column=our field, …`; without a field, the column is left out. Repeated options add up. */
export const mapping = (text: string, previous: Mapping = new Map()): Mapping => {
  const map = new Map(previous)
  for (const { column, field } of text.split(',').map(pairOf)) {
    if (map.has(column)) throw new UsageError(`--map names the column ${column} twice`)
    const [rival] = [...map].find(([, other]) => field !== null && other === field) ?? []
    if (rival !== undefined) throw new UsageError(`--map: ${rival} and ${column} cannot both be the ${field}`)
    map.set(column, field)
  }
  return map
}
