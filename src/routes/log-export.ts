import type { LogEntry } from '../layers/4-data/decisions.js'
import { formatCsv } from '../csv/format.js'
import type { TextFormat } from './export-text.js'

/** The columns of the CSV, in order, and the cell of each. */
const COLUMNS: Readonly<Record<string, (entry: LogEntry) => unknown>> = {
  id: ({ id }) => id,
  time: ({ time }) => time,
  kind: ({ kind }) => kind,
  request_id: ({ request_id }) => request_id,
  revision: ({ revision }) => revision,
  layer: ({ layer }) => layer,
  subject_id: ({ subject }) => subject.id,
  subject_role: ({ subject }) => subject.role,
  network: ({ subject }) => subject.network,
  token_id: ({ token_id }) => token_id,
  action: ({ action }) => action,
  resource_type: ({ resource }) => resource.type,
  resource_code: ({ resource }) => resource.code,
  relation: ({ resource }) => resource.relation,
  effect: ({ effect }) => effect,
  rule: ({ rule }) => rule,
  row_priority: ({ row_priority }) => row_priority,
  status: ({ status }) => status,
  change: ({ change }) => change && JSON.stringify(change),
  resource_id: ({ resource }) => resource.id,
}
const CELLS = Object.values(COLUMNS)

export const LOG_FORMATS: Readonly<Record<'csv' | 'ndjson', TextFormat<readonly LogEntry[]>>> = {
  csv: {
    head: formatCsv([Object.keys(COLUMNS)]),
    lines: (entries) => formatCsv(entries.map((entry) => CELLS.map((cellOf) => cellOf(entry)))),
  },
  ndjson: { head: '', lines: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') },
}
