import { formatCsv } from '../csv/format.js'
import type { Source, SourceRecord } from './source.js'
import { REASONS, columnName } from './words.js'

/**
 * Refused records as they were read, with the reasons, so that they can be fixed and imported again. A CSV has the
 * separators of the original, so that the same spreadsheet opens it; JSON becomes NDJSON, which has no head. `mapped`:
 * mapped columns.
 */
export const refusedText = ({ columns, dialect }: Pick<Source, 'columns' | 'dialect'>, mapped: ReadonlySet<string>) => {
  const name = REASONS[mapped.has(REASONS[0]) ? 1 : 0]
  const csv = (cells: readonly string[]): string => formatCsv([cells], undefined, dialect?.delimiter)
  const keeps = (at: number): boolean => columnName(columns?.[at] ?? '') !== columnName(name)
  return {
    head:
      columns === null
        ? ''
        : `${dialect?.bom === true ? '\ufeff' : ''}${csv([...columns.filter((_, at) => keeps(at)), name])}`,
    line: ({ original }: SourceRecord, reason: string): string =>
      Array.isArray(original)
        ? csv([...original.filter((_, at) => keeps(at)), reason])
        : `${JSON.stringify({ ...original, [name]: reason })}\n`,
  }
}
