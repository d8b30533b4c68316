import type { Action } from './action.js'

export const EFFECTS = ['allow', 'deny'] as const
export type Effect = (typeof EFFECTS)[number]

export const REACHES = ['own', 'any'] as const
type Reach = (typeof REACHES)[number]

/** The label of a rule. */
export const RULE_LABEL = /^[A-Z][A-Z0-9-]{0,15}$/

// types, not interfaces: a row can be given to what takes any record

/** An object row: one entry of the ordered rules that `can()` evaluates. */
export type ObjectRow = {
  readonly ptype: 'p'
  /** 1 to 999,999,999; unique; the matching row with the smallest number decides */
  readonly priority: number
  /** the rule of the specification that the row implements: R1..R7, or an admin's own label */
  readonly rule: string
  readonly role: string
  readonly action: Action | '*'
  readonly reach: Reach
  readonly effect: Effect
}

/** An endpoint row: the role may call endpoints of this action. */
export type EndpointRow = {
  readonly ptype: 'p2'
  readonly role: string
  readonly action: Action | '*'
}

/** An inheritance row: the role has every row of the role it inherits. */
export type InheritanceRow = {
  readonly ptype: 'g'
  readonly role: string
  readonly inherits: string
}

export type PolicyRow = ObjectRow | EndpointRow | InheritanceRow
