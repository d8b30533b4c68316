import type { Effect } from './policy-row.js'

/** One decision as the log keeps it (table `decisions`). Never a token, a password or a body. */
export interface DecisionRecord {
  readonly time: string
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
}
