import type { Effect, ObjectRow } from './policy-row.js'

/** The caller's relation to the record: beside role and action, the only input of an object rule. */
export const RELATIONS = ['anonymous', 'own', 'other'] as const
export type Relation = (typeof RELATIONS)[number]

export const isRelation = (text: unknown): text is Relation => RELATIONS.some((relation) => relation === text)

/** Who may do something to a record, and by which rule. */
export type Who =
  | { readonly who: 'owner'; readonly rule: string }
  | { readonly who: 'role'; readonly role: string; readonly rule: string }

/** What the policy decided, and by which row. Each (role, action, relation) of a revision has one frozen value. */
export interface Decision {
  readonly effect: Effect
  /** the label of the row that decided; `default` if no row matched and the model itself denies */
  readonly rule: string
  readonly row: ObjectRow | null
  readonly revision: number
  readonly role: string
  readonly action: string
  readonly relation: Relation
}
