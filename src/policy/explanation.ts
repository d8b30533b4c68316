import type { Relation } from '../domain/decision.js'
import type { Effect, EndpointRow, ObjectRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Snapshot } from './snapshot.js'

/** What became of a row that was looked at. */
export interface Considered<Row> {
  readonly row: Row
  readonly outcome: 'does_not_match' | 'decides' | 'not_reached'
  /** why it does not match, in words; null otherwise */
  readonly why: string | null
}

/**
 * May the role call the endpoint at all? Any row that matches lets it in, so none is not reached: all that match
 * decide.
 */
export interface EndpointExplanation {
  readonly effect: Effect
  readonly considered: readonly Considered<EndpointRow>[]
  /** rows beyond those that are listed */
  readonly not_listed: number
}

/** What the ordered rows answer for the record: the first that matches decides. */
export interface ObjectExplanation {
  readonly effect: Effect
  readonly rule: string
  /** the row that decided; null: none matched, and the model's own deny holds */
  readonly row: ObjectRow | null
  readonly considered: readonly Considered<ObjectRow>[]
  readonly not_listed: number
}

/** Why a question is answered as it is, under one revision. */
export interface Explanation {
  readonly revision: number
  readonly role: string
  /** the roles whose rows count for this one, nearest first */
  readonly inherits: readonly string[]
  readonly action: string
  readonly relation: Relation
  /**
   * the layer that settles it for a request of this service: the endpoint's where it refuses, the object's otherwise
   */
  readonly layer: 'endpoint' | 'object'
  readonly effect: Effect
  readonly endpoint: EndpointExplanation
  readonly object: ObjectExplanation
}

/** Rows that one list of an explanation holds at the most. The row that decided is always among them. */
export const MOST_CONSIDERED = 200

/**
 * Explains `(role, action, relation)` under a snapshot. The answer and the row that gave it are Casbin's own; the
 * reasons beside the other rows are model.conf in words, and the tests hold both against a plain Casbin over all rows.
 * Rows of other roles and actions can match no such question and are not looked at, so the price does not grow with
 * their number. Of rows with equal role, action and reach only the first can ever decide; the others are not listed.
 */
export const explain = (snapshot: Snapshot, role: string, action: string, relation: Relation): Explanation => {
  const counted = rolesCounted(snapshot, role)
  const endpoint = explainEndpoint(snapshot, role, action, counted)
  const object = explainObject(snapshot, role, action, relation, counted)
  const letIn = endpoint.effect === 'allow'
  return {
    revision: snapshot.revision,
    role,
    inherits: [...counted].filter((name) => name !== role),
    action,
    relation,
    layer: letIn ? 'object' : 'endpoint',
    effect: letIn ? object.effect : 'deny',
    endpoint,
    object,
  }
}

/** The role, what it inherits from, and the names that the model itself counts it under. */
const rolesCounted = ({ engine }: Snapshot, role: string): ReadonlySet<string> =>
  new Set([
    ...engine.inheritance.ancestors(role).keys(),
    ...(role === ENGINE_ROLES.anonymous ? [] : [ENGINE_ROLES.user]),
    ENGINE_ROLES.anyone,
  ])

const explainEndpoint = (
  snapshot: Snapshot,
  role: string,
  action: string,
  counted: ReadonlySet<string>,
): EndpointExplanation => {
  const rows = snapshot.engine.endpointCandidates(role, action)
  const considered = rows.slice(0, MOST_CONSIDERED).map((row): Considered<EndpointRow> => {
    const why = otherRole(row, counted)
    return { row, outcome: why === null ? 'decides' : 'does_not_match', why }
  })
  return {
    effect: snapshot.mayCall(role, action) ? 'allow' : 'deny',
    considered,
    not_listed: rows.length - considered.length,
  }
}

const explainObject = (
  snapshot: Snapshot,
  role: string,
  action: string,
  relation: Relation,
  counted: ReadonlySet<string>,
): ObjectExplanation => {
  const { effect, rule, row: decided } = snapshot.decideFor(role, action, relation)
  const rows = snapshot.engine.candidates(role, action)
  const place = decided === null ? rows.length : rows.indexOf(decided)
  const all = rows.map((row, i): Considered<ObjectRow> => {
    if (i === place) return { row, outcome: 'decides', why: null }
    return i > place
      ? { row, outcome: 'not_reached', why: null }
      : { row, outcome: 'does_not_match', why: otherRole(row, counted) ?? otherRecord(row, relation) }
  })
  const considered =
    place < MOST_CONSIDERED || decided === null
      ? all.slice(0, MOST_CONSIDERED)
      : [...all.slice(0, MOST_CONSIDERED - 1), ...all.slice(place, place + 1)]
  return { effect, rule, row: decided, considered, not_listed: rows.length - considered.length }
}

const otherRole = ({ role }: { readonly role: string }, counted: ReadonlySet<string>): string | null =>
  counted.has(role) ? null : role === ENGINE_ROLES.user ? 'it is for callers with a user' : `it is for the role ${role}`

const otherRecord = ({ reach }: ObjectRow, relation: Relation): string | null =>
  reach === 'any' || relation === 'own'
    ? null
    : relation === 'anonymous'
      ? 'a caller without a user owns nothing'
      : "the record is another's"
