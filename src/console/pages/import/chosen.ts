import { missingField } from '../../../import/columns.js'
import { FORMATS, type FormatName } from '../../../import/formats.js'
import type { ReadFile } from './read-file.js'
import { mappedColumns, type Mapping } from './rows.js'

export interface Chosen {
  readonly file: ReadFile
  readonly format: FormatName
  readonly map: Mapping
}

/** A field that the format needs but no column provides; undefined if the rows can be read. */
export const missingIn = ({ file: { columns }, format, map }: Chosen): string | undefined => {
  if (columns === null) return undefined
  if (map.get('target') === null) return 'target'
  return missingField(columns, FORMATS[format], new Set(map.keys()), mappedColumns(map))
}

/** The columns of a CSV; for JSON, the names in its first record. */
export const namesIn = ({ columns, records }: ReadFile): readonly string[] =>
  columns ?? [...(records[0]?.cells.keys() ?? [])]
