import { isAction } from '../domain/action.js'
import { isRelation } from '../domain/decision.js'
import type { Relation } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import type { Effect } from '../domain/policy-row.js'
import { ENGINE_ROLES, isCallerRole } from '../domain/role.js'
import { parseCsv } from './csv.js'
import { fault } from './parse-row.js'
import type { Snapshot } from './snapshot.js'
import { describeRelation } from './table.js'

/** A question with the answer that it must have, and why. */
export interface Expectation {
  readonly effect: Effect
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly why: string
  /** `file:line` */
  readonly from: string
}

/** The answer that a file's questions must have, by its name (`allow.csv`, `clerks-deny.csv`); null without one. */
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

/**
 * The expectations that a snapshot does not meet, in a line each. What must be allowed has to pass `can()` and the
 * endpoint rows; what must be denied has to be denied by `can()`.
 */
export const findUnmet = (snapshot: Snapshot, expectations: readonly Expectation[]): readonly string[] =>
  expectations.flatMap(({ effect: expected, role, action, relation, why, from }) => {
    const { effect, rule, row } = snapshot.decideFor(role, action, relation)
    const isShut = expected === 'allow' && effect === 'allow' && !snapshot.mayCall(role, action)
    if (effect === expected && !isShut) return []
    const by = row === null ? 'no row matches' : `row ${row.priority} (${rule})`
    const actual = isShut ? 'but no endpoint row lets the role in' : `but is ${effect}: ${by}`
    const question = `${role} ${action} ${describeRelation(relation)}`
    return [`${question} must be ${expected}, ${actual} [${from}${why && `, ${why}`}]`]
  })
