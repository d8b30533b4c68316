import type { Effect, ObjectRow } from './policy-row.js'

/** How the caller stands to the record: beside role and action, all that an object rule may depend on. */
export const RELATIONS = ['anonymous', 'own', 'other'] as const
export type Relation = (typeof RELATIONS)[number]

export const isRelation = (text: unknown): text is Relation => RELATIONS.some((relation) => relation === text)

/** Who may do something to a record, and by which rule. */
export type Who =
  | { readonly who: 'owner'; readonly rule: string }
  | { readonly who: 'role'; readonly role: string; readonly rule: string }

/** What the policy decided, and by which row. One frozen value for each (role, action, relation) of a revision. */
export interface Decision {
  readonly effect: Effect
  /** the label of the row that decided; `default` where no row matched and the model itself denies */
  readonly rule: string
  readonly row: ObjectRow | null
  readonly revision: number
  readonly role: string
  readonly action: string
  readonly relation: Relation
}
