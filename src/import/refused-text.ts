import { formatCsv } from '../csv/format.js'
import type { SourceRecord } from './source-record.js'
import { columnName } from './words.js'

const REASON = 'reason'

/**
 * Records that were not taken, as they were read, and why: importable again once they are mended. `columns`: those of a
 * CSV; null: NDJSON, which has no head.
 */
export const refusedText = (columns: readonly string[] | null) => {
  const keeps = (at: number): boolean => columnName(columns?.[at] ?? '') !== REASON
  return {
    head: columns === null ? '' : formatCsv([[...columns.filter((_, at) => keeps(at)), REASON]]),
    line: ({ original }: SourceRecord, reason: string): string =>
      Array.isArray(original)
        ? formatCsv([[...original.filter((_, at) => keeps(at)), reason]])
        : `${JSON.stringify({ ...original, [REASON]: reason })}\n`,
  }
}
