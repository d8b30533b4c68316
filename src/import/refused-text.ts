import { formatCsv } from '../csv/format.js'
import type { Source, SourceRecord } from './source-record.js'
import { columnName } from './words.js'

const REASON = 'reason'

/**
 * Refused records as they were read, with the reasons, so that they can be fixed and imported again. A CSV has the
 * separators of the original, so that the same spreadsheet opens it; JSON becomes NDJSON, which has no head.
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
