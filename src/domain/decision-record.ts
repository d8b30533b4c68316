import type { Effect } from './policy-row.js'

/** A decision for the log, to which the database adds the time. It never contains a token, a password or a body. */
export interface DecisionRecord {
  readonly request_id: string
  readonly revision: number
  readonly layer: string
  readonly subject_id: string | null
  readonly subject_role: string
  readonly token_id: string | null
  readonly network: string | null
  readonly action: string
  readonly resource_type: string
  readonly resource_code: string | null
  readonly relation: string
  readonly effect: Effect
  readonly rule: string
  readonly row_priority: number | null
  readonly status: number
  /** of a link, whose code may change; null for other records */
  readonly resource_id: string | null
}

/** The columns of table `decisions`, with their PostgreSQL types. An entry's hash covers them in this order. */
export const DECISION_COLUMNS = {
  time: 'timestamptz',
  request_id: 'text',
  revision: 'bigint',
  layer: 'text',
  subject_id: 'bigint',
  subject_role: 'text',
  token_id: 'text',
  network: 'text',
  action: 'text',
  resource_type: 'text',
  resource_code: 'text',
  relation: 'text',
  effect: 'text',
  rule: 'text',
  row_priority: 'integer',
  status: 'integer',
  resource_id: 'bigint',
} as const satisfies Readonly<Record<keyof DecisionRecord | 'time', string>>

export const DECISION_COLUMN_NAMES = Object.keys(DECISION_COLUMNS)
