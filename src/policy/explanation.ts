import type { Relation } from '../domain/decision.js'
import type { Effect, EndpointRow, ObjectRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Snapshot } from './snapshot.js'

/** A row that was considered. `why` it does not match; null for other outcomes. */
export interface Considered<Row> {
  readonly row: Row
  readonly outcome: 'does_not_match' | 'decides' | 'not_reached'
  readonly why: string | null
}

/** May the role call the endpoint? Each row that matches lets it in. */
interface EndpointExplanation {
  readonly effect: Effect
  readonly considered: readonly Considered<EndpointRow>[]
  /** the number of rows beyond those listed */
  readonly not_listed: number
}

/** What the ordered rows answer for the record: the first that matches decides. */
interface ObjectExplanation {
  readonly effect: Effect
  readonly rule: string
  /** the row that decided; null where none matched and the model itself denies */
  readonly row: ObjectRow | null
  readonly considered: readonly Considered<ObjectRow>[]
  readonly not_listed: number
}

/** Why a question is answered as it is, under one revision. */
export interface Explanation {
  readonly revision: number
  readonly role: string
  /** the other roles whose rows count for this one, nearest first */
  readonly inherits: readonly string[]
  readonly action: string
  readonly relation: Relation
  /** the layer that decides about a request: the endpoint's where it refuses, else the object's */
  readonly layer: 'endpoint' | 'object'
  readonly effect: Effect
  readonly endpoint: EndpointExplanation
  readonly object: ObjectExplanation
}

/** Rows in one list of an explanation. The row that decided is always among them. */
export const MOST_CONSIDERED = 200

/**
 * Explains `(role, action, relation)`. The answer and the deciding row are Casbin's; the reasons for the other rows are
 * model.conf in words, which the tests compare with a plain Casbin over all rows. Only rows that are put before Casbin
 * are considered.
 */
export const explain = (snapshot: Snapshot, role: string, action: string, relation: Relation): Explanation => {
  const { engine, revision } = snapshot
  const counted = engine.inheritance.rolesOf(role)
  const inherits = [...counted].filter((name) => name !== role)

  const endpointRows = engine.endpointCandidates(role, action).map((row) => consider(row, otherRole(row, counted)))
  const letsIn = snapshot.mayCall(role, action)
  const endpoint = { effect: letsIn ? 'allow' : 'deny', ...listed(endpointRows) } as const

  const { effect, rule, row: decider } = snapshot.decideFor(role, action, relation)
  const rows = engine.candidates(role, action)
  const place = decider === null ? rows.length : rows.indexOf(decider)
  const objectRows = rows.map((row, i): Considered<ObjectRow> =>
    i > place
      ? { row, outcome: 'not_reached', why: null }
      : consider(row, i === place ? null : (otherRole(row, counted) ?? otherRecord(row, relation))),
  )
  return {
    revision,
    role,
    inherits,
    action,
    relation,
    layer: letsIn ? 'object' : 'endpoint',
    effect: letsIn ? effect : 'deny',
    endpoint,
    object: { effect, rule, row: decider, ...listed(objectRows, place) },
  }
}

const consider = <Row>(row: Row, why: string | null): Considered<Row> => ({
  row,
  outcome: why === null ? 'decides' : 'does_not_match',
  why,
})

/** The first rows, and the one at `place` even where it comes later. */
const listed = <Row>(all: readonly Row[], place = 0) => {
  const considered = all.slice(0, MOST_CONSIDERED)
  const decider = all[place]
  if (place >= MOST_CONSIDERED && decider !== undefined) considered[MOST_CONSIDERED - 1] = decider
  return { considered, not_listed: all.length - considered.length }
}

const otherRole = ({ role }: { readonly role: string }, counted: ReadonlySet<string>): string | null => {
  if (counted.has(role)) return null
  return role === ENGINE_ROLES.user ? 'it is for callers with a user' : `it is for the role ${role}`
}

const otherRecord = ({ reach }: ObjectRow, relation: Relation): string | null => {
  if (reach === 'any' || relation === 'own') return null
  return relation === 'anonymous' ? 'a caller without a user owns nothing' : "the record is another's"
}
