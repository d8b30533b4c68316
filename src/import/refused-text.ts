import { formatCsv } from '../csv/format.js'
import type { Source, SourceRecord } from './source-record.js'
import { columnName } from './words.js'

const REASON = 'reason'

/**
 * Records that were not taken, as they were read, and why: importable again once they are mended. A CSV is written with
 * the separators of the one that was read, so that the same spreadsheet opens it; JSON as NDJSON, which has no head.
 */
export const refusedText = ({ columns, dialect }: Pick<Source, 'columns' | 'dialect'>) => {
  const csv = (cells: readonly string[]): string => formatCsv([cells], undefined, dialect?.delimiter)
  const keeps = (at: number): boolean => columnName(columns?.[at] ?? '') !== REASON
  return {
    head:
      columns === null
        ? ''
        : `${dialect?.bom === true ? '\ufeff' : ''}${csv([...columns.filter((_, at) => keeps(at)), REASON])}`,
    line: ({ original }: SourceRecord, reason: string): string =>
      Array.isArray(original)
        ? csv([...original.filter((_, at) => keeps(at)), reason])
        : `${JSON.stringify({ ...original, [REASON]: reason })}\n`,
  }
}
