import type { Effect, ObjectRow } from './policy-row.js'

/** The caller's relation to the record; beside role and action the only input of the object rule. */
export type Relation = 'anonymous' | 'own' | 'other'

/** A decision with its reason. One frozen value for each (role, action, relation) of a revision. */
export interface Decision {
  readonly effect: Effect
  /** the rule of the row that decided; `default` if no row matched (the model denies) */
  readonly rule: string
  readonly row: ObjectRow | null
  readonly revision: number
  readonly role: string
  readonly action: string
  readonly relation: Relation
}
