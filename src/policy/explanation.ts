import type { Relation } from '../domain/decision.js'
import type { ObjectRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Snapshot } from './snapshot.js'

/** A row that Casbin was given. */
export interface Considered<Row> {
  readonly row: Row
  readonly outcome: 'does_not_match' | 'decides' | 'not_reached'
  /** why it does not match; otherwise null */
  readonly why: string | null
}

/** How one revision comes to its answer to a question. */
export type Explanation = ReturnType<typeof explain>

/** The most rows that one list of an explanation shows. The deciding row is always among them. */
export const MOST_CONSIDERED = 200

/**
 * Explains the decision on `(role, action, relation)`. The answer and the deciding row are Casbin's. The reasons for
 * the other rows restate model.conf in words; tests compare them with a plain Casbin over all rows. Only rows that
 * Casbin is given are considered.
 */
export const explain = (snapshot: Snapshot, role: string, action: string, relation: Relation) => {
  const { engine, revision } = snapshot
  const counted = engine.inheritance.rolesOf(role)
  const isLetIn = snapshot.mayCall(role, action)
  const endpointRows = engine
    .endpointCandidates(role, action)
    .map((row) => consider(row, otherRole(row, counted) ?? (isLetIn ? null : OTHER_CONDITION)))

  const { effect, rule, row: decider } = snapshot.decideFor(role, action, relation)
  const rows = engine.candidates(role, action)
  const place = decider === null ? rows.length : rows.indexOf(decider)
  const objectRows = rows.map((row, i): Considered<ObjectRow> =>
    i > place
      ? { row, outcome: 'not_reached', why: null }
      : consider(row, i === place ? null : (otherRole(row, counted) ?? otherRecord(row, relation) ?? OTHER_CONDITION)),
  )
  return {
    revision,
    role,
    /** the other roles whose rows count for this one, nearest first */
    inherits: [...counted].filter((name) => name !== role),
    action,
    relation,
    /** the layer that decides a request: the endpoint's if it refuses, otherwise the object's */
    layer: isLetIn ? 'object' : 'endpoint',
    effect: isLetIn ? effect : 'deny',
    /** each row that matches lets the role in */
    endpoint: { effect: isLetIn ? 'allow' : 'deny', ...listed(endpointRows) },
    /** the first matching row decides; null if none matches, so the model itself denies */
    object: { effect, rule, row: decider, ...listed(objectRows, place) },
  } as const
}

/** Where an installation has made its model.conf stricter than the shipped one. */
const OTHER_CONDITION = 'a further condition of model.conf does not hold'

const consider = <Row>(row: Row, why: string | null): Considered<Row> => ({
  row,
  outcome: why === null ? 'decides' : 'does_not_match',
  why,
})

/** The first rows, and always the one at `place`. */
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
