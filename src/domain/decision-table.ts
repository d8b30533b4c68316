import type { Relation } from './decision.js'
import type { Effect } from './policy-row.js'

/** The policy's answer to one question. */
export interface Outcome {
  /** of the object rows */
  readonly effect: Effect
  readonly rule: string
  /** of the endpoint rows: whether the role may call the endpoint at all */
  readonly endpoint: Effect
}

export interface Question {
  readonly role: string
  readonly action: string
  readonly relation: Relation
}

export interface Cell extends Question, Outcome {}

export interface CellChange extends Question {
  readonly before: Outcome
  readonly after: Outcome
}
