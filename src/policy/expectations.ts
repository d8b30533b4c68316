import { isAction } from '../domain/action.js'
import type { Decision, Relation } from '../domain/decision.js'
import type { Effect } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'
import { ENGINE_ROLES, isRoleName } from '../domain/role.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { parseCsvRecords } from './row-csv.js'
import type { Snapshot } from './snapshot.js'

/** A question with the answer that it must have, and why. */
export interface Expectation {
  readonly effect: Effect
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly why: string
  /** the file and line where it stands */
  readonly from: string
}

/** An expectation that is not met: the decision, and whether the endpoint rows let the role in at all. */
export interface Disappointment {
  readonly expectation: Expectation
  readonly decision: Decision
  readonly mayCall: boolean
}

const RELATIONS: ReadonlySet<string> = new Set(['anonymous', 'own', 'other'])
const isRelation = (text: string): text is Relation => RELATIONS.has(text)

/**
 * The answer that every question of a file must have, by the file's name: `allow.csv`, `clerks-deny.csv`; null where it
 * says none.
 */
export const effectOfFile = (path: string): Effect | null => {
  const [, effect] = /(?:^|[/\\._-])(allow|deny)\.csv$/.exec(path) ?? []
  return effect === 'allow' || effect === 'deny' ? effect : null
}

/**
 * Reads `role, action, relation, why` lines. Throws PolicyError naming every line that is no question: none is skipped.
 */
export const parseExpectations = (file: string, text: string): readonly Expectation[] => {
  const effect = effectOfFile(file)
  if (effect === null)
    throw new PolicyError(
      `${file}: the name must end in allow.csv or deny.csv, which is the answer that its questions must have`,
    )
  const records = parseCsvRecords(text)
  if (!records.ok) throw new PolicyError(`${file}: ${describeFaults(records.faults)}`)
  const faults: Fault[] = []
  const expectations = records.value.flatMap(
    ({ line, fields: [role = '', action = '', relation = '', ...why] }): Expectation[] => {
      const fault = (message: string) => {
        faults.push({ field: `line ${line}`, message })
        return []
      }
      if (!isRoleName(role) || role === ENGINE_ROLES.anyone) return fault('role must be a role that a caller can have')
      if (!isAction(action)) return fault('action must be <resource>:<verb>')
      if (!isRelation(relation)) return fault('relation must be anonymous, own or other')
      if ((role === ENGINE_ROLES.anonymous) !== (relation === 'anonymous'))
        return fault('the role anonymous and the relation anonymous go together')
      return [{ effect, role, action, relation, why: why.join(', '), from: `${file}:${line}` }]
    },
  )
  if (faults.length > 0) throw new PolicyError(`${file}: ${describeFaults(faults)}`)
  return expectations
}

/**
 * Asks every question of a snapshot and answers those whose answer is another. What must be allowed must be let through
 * by `can()` and by the endpoint rows; what must be denied must be denied by `can()`, whatever the endpoint rows say.
 */
export const findDisappointments = (
  snapshot: Snapshot,
  expectations: readonly Expectation[],
): readonly Disappointment[] =>
  expectations.flatMap((expectation) => {
    const decision = snapshot.decideFor(expectation.role, expectation.action, expectation.relation)
    const mayCall = snapshot.mayCall(expectation.role, expectation.action)
    const met = decision.effect === expectation.effect && (expectation.effect === 'deny' || mayCall)
    return met ? [] : [{ expectation, decision, mayCall }]
  })

const BY: Readonly<Record<Relation, string>> = {
  anonymous: '',
  own: ' on an own record',
  other: " on another's record",
}

/**
 * One line for a person: the question, the answer that it must have, the one that it has, by which row, and who says
 * so.
 */
export const describeDisappointment = ({ expectation, decision, mayCall }: Disappointment): string => {
  const { role, action, relation, effect, why, from } = expectation
  const by = decision.row === null ? 'no row matches' : `row ${decision.row.priority} (${decision.rule})`
  const is =
    decision.effect === effect && !mayCall ? 'but no endpoint row lets the role in' : `but is ${decision.effect}: ${by}`
  return `${role} ${action}${BY[relation]} must be ${effect}, ${is} [${from}${why && `, ${why}`}]`
}
