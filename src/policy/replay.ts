import type { Relation } from '../domain/decision.js'
import type { Effect } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Snapshot } from './snapshot.js'

/** What a request was answered by the policy: a row's rule, `default`, or the code of the layer that refused. */
export interface Verdict {
  readonly effect: Effect
  readonly rule: string
}

/** Recorded decisions that are one question with one answer: to decide one of them again is to decide them all. */
export interface RecordedGroup extends Verdict {
  /** the caller's role at the time */
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly layer: 'endpoint' | 'object'
  readonly count: number
}

export interface ReplayedGroup extends RecordedGroup {
  /** what the revision in force answers; null where the record does not hold enough to tell */
  readonly in_force: Verdict | null
  /** what the edit would answer; null as above */
  readonly after: Verdict | null
}

/** The code with which a route refuses to hand out a role, after the rows allowed it. */
const BEYOND_ROWS = 'policy_denied'

/**
 * What a snapshot answers to a recorded question: the endpoint rows first, as for a request, then the object's. Null
 * where the record cannot tell: a refusal by the endpoint came before the record was looked up, so it may have been the
 * caller's own or another's, and only where both have one answer is that the answer; and whether a route would still
 * refuse beyond the rows depends on more than was recorded.
 */
export const decideAgain = (
  snapshot: Snapshot,
  { role, action, relation, layer, rule }: RecordedGroup,
): Verdict | null => {
  if (!snapshot.mayCall(role, action)) return { effect: 'deny', rule: 'role_not_allowed' }
  const beyondRows = rule === BEYOND_ROWS
  const relations: readonly Relation[] =
    layer === 'object' && !beyondRows ? [relation] : role === ENGINE_ROLES.anonymous ? ['anonymous'] : ['own', 'other']
  const [first, ...others] = relations.map((each) => snapshot.decideFor(role, action, each))
  if (first === undefined || others.some(({ effect, rule }) => effect !== first.effect || rule !== first.rule))
    return null
  return beyondRows && first.effect === 'allow' ? null : { effect: first.effect, rule: first.rule }
}

export const isSame = (one: Verdict | null, other: Verdict | null): boolean =>
  one?.effect === other?.effect && one?.rule === other?.rule

/** Decides recorded groups again under what is in force and under what an edit would make of it. */
export const replayGroups = (
  groups: readonly RecordedGroup[],
  inForce: Snapshot,
  candidate: Snapshot,
): readonly ReplayedGroup[] =>
  groups.map((group) => ({ ...group, in_force: decideAgain(inForce, group), after: decideAgain(candidate, group) }))
