import type { SourceRecord } from '../../../import/source-record.js'
import { save } from '../../parts/download'
import type { Chosen } from './chosen'
import { mappedColumns } from './rows'
import type { Row } from './rows'
import { whyText } from './why-text'

/** Saves the refused records unchanged, with the reasons, so that they can be fixed and imported again. */
export const downloadRefused = async (
  { file: { name, columns, dialect }, map }: Chosen,
  rows: readonly Row[],
): Promise<void> => {
  const { refusedText } = await import('../../../import/refused-text.js')
  const reasons = new Map<SourceRecord, readonly string[]>()
  for (const { record, outcome } of rows)
    if (outcome.is === 'conflict' || outcome.is === 'refused')
      reasons.set(record, [...(reasons.get(record) ?? []), whyText(outcome.why)])
  const { head, line } = refusedText({ columns, dialect }, mappedColumns(map))
  const lines = [...reasons].map(([record, why]) => line(record, why.join('; ')))
  const [ending, type] = columns === null ? ['ndjson', 'application/x-ndjson'] : ['csv', 'text/csv']
  save(`${name}.refused.${ending}`, new Blob([head, ...lines], { type }))
}
