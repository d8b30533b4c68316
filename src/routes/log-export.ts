import type { LogEntry } from '../layers/4-data/decisions.js'
import { formatCsv } from '../csv/format.js'
import type { TextFormat } from './export-text.js'

const COLUMNS =
  'id time kind request_id revision layer subject_id subject_role network token_id action resource_type ' +
  'resource_code relation effect rule row_priority status change resource_id'

const cellsOf = ({ subject, resource, change, ...entry }: LogEntry) => [
  entry.id,
  entry.time,
  entry.kind,
  entry.request_id,
  entry.revision,
  entry.layer,
  subject.id,
  subject.role,
  subject.network,
  entry.token_id,
  entry.action,
  resource.type,
  resource.code,
  resource.relation,
  entry.effect,
  entry.rule,
  entry.row_priority,
  entry.status,
  change === undefined ? null : JSON.stringify(change),
  resource.id,
]

export const LOG_FORMATS: Readonly<Record<'csv' | 'ndjson', TextFormat<readonly LogEntry[]>>> = {
  csv: {
    head: formatCsv([COLUMNS.split(' ')]),
    lines: (entries) => formatCsv(entries.map(cellsOf)),
  },
  ndjson: { head: '', lines: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') },
}
