import { isAction } from '../domain/action.js'
import { isRelation } from '../domain/decision.js'
import type { Decision, Relation } from '../domain/decision.js'
import type { Effect } from '../domain/policy-row.js'
import { ENGINE_ROLES, isCallerRole } from '../domain/role.js'
import { parseCsv } from './csv.js'
import { fault } from './parse-row.js'
import { PolicyError } from './policy-error.js'
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

/** An expectation that the policy does not meet, with its decision. */
interface UnmetExpectation {
  readonly expectation: Expectation
  readonly decision: Decision
  /** do the endpoint rows let the role in? */
  readonly mayCall: boolean
}

/** The answer that all questions of a file must have, by its name (`allow.csv`, `clerks-deny.csv`); null without one. */
export const effectOfFile = (path: string): Effect | null => {
  const [, effect] = /(?:^|[/\\._-])(allow|deny)\.csv$/.exec(path) ?? []
  return effect === 'allow' || effect === 'deny' ? effect : null
}

/** Parses `role, action, relation, why` lines. Throws PolicyError naming each line with a fault: none is skipped. */
export const parseExpectations = (file: string, text: string): readonly Expectation[] => {
  const effect = effectOfFile(file)
  if (effect === null)
    throw new PolicyError(
      `${file}: the name must end in allow.csv or deny.csv, which is the answer that its questions must have`,
    )
  return parseCsv(file, text, ([role, action, relation, ...why], line) => {
    if (!isCallerRole(role)) return fault('role must be a role that a caller can have')
    if (!isAction(action)) return fault('action must be <resource>:<verb>')
    if (!isRelation(relation)) return fault('relation must be anonymous, own or other')
    if ((role === ENGINE_ROLES.anonymous) !== (relation === 'anonymous'))
      return fault('the role anonymous and the relation anonymous go together')
    return { ok: true, value: { effect, role, action, relation, why: why.join(', '), from: `${file}:${line}` } }
  })
}

/**
 * The expectations that a snapshot does not meet. What must be allowed has to pass `can()` and the endpoint rows; what
 * must be denied has to be denied by `can()`.
 */
export const findUnmet = (snapshot: Snapshot, expectations: readonly Expectation[]): readonly UnmetExpectation[] =>
  expectations.flatMap((expectation) => {
    const { role, action, relation, effect } = expectation
    const decision = snapshot.decideFor(role, action, relation)
    const mayCall = snapshot.mayCall(role, action)
    return decision.effect === effect && (effect === 'deny' || mayCall) ? [] : [{ expectation, decision, mayCall }]
  })

/** For people, in one line: the question, the expected answer, the actual one, and where the expectation stands. */
export const describeUnmet = ({ expectation, decision, mayCall }: UnmetExpectation): string => {
  const { role, action, relation, effect, why, from } = expectation
  const { row, rule } = decision
  const by = row === null ? 'no row matches' : `row ${row.priority} (${rule})`
  const isShut = decision.effect === effect && !mayCall
  const actual = isShut ? 'but no endpoint row lets the role in' : `but is ${decision.effect}: ${by}`
  return `${role} ${action} ${describeRelation(relation)} must be ${effect}, ${actual} [${from}${why && `, ${why}`}]`
}
