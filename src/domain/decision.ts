import type { Effect, ObjectRow } from './policy-row.js'

/** How the caller stands to the record: all that the object rule may look at beside role and action. */
export type Relation = 'anonymous' | 'own' | 'other'

/** What the policy said, and why. One frozen value for each (role, action, relation) of a revision. */
export interface Decision {
  readonly effect: Effect
  /** the label of the row that decided; `default` when no row matched (the model's own deny) */
  readonly rule: string
  readonly row: ObjectRow | null
  readonly revision: number
  readonly role: string
  readonly action: string
  readonly relation: Relation
}
