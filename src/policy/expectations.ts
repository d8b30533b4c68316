import { isAction } from '../domain/action.js'
import { isRelation, type Relation } from '../domain/decision.js'
import { EFFECTS, type Effect, type ObjectRow } from '../domain/policy-row.js'
import { ENGINE_ROLES, isCallerRole } from '../domain/role.js'
import { parseCsv } from './csv.js'
import { fault } from './parse-row.js'
import type { Snapshot } from './snapshot.js'
import { describeRelation } from './table.js'

/** The questions that every edit is tested with. An installation may have neither file. */
export const EXPECTATION_FILES = ['policies/allow.csv', 'policies/deny.csv']

/** A question, its expected answer, and why. */
export interface Expectation {
  readonly effect: Effect
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly why: string
  /** `file:line` */
  readonly from: string
}

/** The answer that a file expects, by its name (`allow.csv`, `clerks-deny.csv`); null if the name says none. */
export const effectOfFile = (path: string): Effect | null => {
  const [, name] = /(?:^|[/\\._-])(allow|deny)\.csv$/.exec(path) ?? []
  return EFFECTS.find((effect) => effect === name) ?? null
}

/** Parses `role, action, relation, why` lines. Throws PolicyError naming each line with a fault: none is skipped. */
export const parseExpectations = (file: string, effect: Effect, text: string): readonly Expectation[] =>
  parseCsv(file, text, ([role, action, relation, ...why], line) => {
    if (!isCallerRole(role)) return fault('role must be a role that a caller can have')
    if (!isAction(action)) return fault('action must be <resource>:<verb>')
    if (!isRelation(relation)) return fault('relation must be anonymous, own or other')
    if ((role === ENGINE_ROLES.anonymous) !== (relation === 'anonymous'))
      return fault('the role anonymous and the relation anonymous go together')
    return { ok: true, value: { effect, role, action, relation, why: why.join(', '), from: `${file}:${line}` } }
  })

/** An unmet expectation, with the answer that the snapshot gives instead. */
export interface Unmet {
  readonly expectation: Expectation
  readonly effect: Effect
  readonly rule: string
  /** the deciding row; null if none matches */
  readonly row: ObjectRow | null
  /** true if the object rows allow it but no endpoint row lets the role in */
  readonly isShut: boolean
}

/**
 * The expectations that a snapshot does not meet. What must be allowed has to pass `can()` and the endpoint rows; what
 * must be denied has to be denied by `can()`.
 */
export const findUnmet = (snapshot: Snapshot, expectations: readonly Expectation[]): readonly Unmet[] =>
  expectations.flatMap((expectation) => {
    const { effect: expected, role, action, relation } = expectation
    const { effect, rule, row } = snapshot.decideFor(role, action, relation)
    const isShut = expected === 'allow' && effect === 'allow' && !snapshot.mayCall(role, action)
    return effect === expected && !isShut ? [] : [{ expectation, effect, rule, row, isShut }]
  })

export const describeUnmet = ({ expectation, effect, rule, row, isShut }: Unmet): string => {
  const { effect: expected, role, action, relation, why, from } = expectation
  const by = row === null ? 'no row matches' : `row ${row.priority} (${rule})`
  const actual = isShut ? 'but no endpoint row lets the role in' : `but is ${effect}: ${by}`
  const question = `${role} ${action} ${describeRelation(relation)}`
  return `${question} must be ${expected}, ${actual} [${from}${why && `, ${why}`}]`
}
