import type { Decision, Relation } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Subject } from '../domain/user.js'
import { NO_COMMENTS, type Comments } from './comments.js'
import { buildEngine, type Engine } from './engine.js'
import type { PolicyModel } from './model.js'

/** Which records of a collection a role may act on. `others`: all but its own. */
export type CollectionReach = 'none' | 'own' | 'others' | 'any'

/** One revision of the policy: immutable, complete, synchronous. */
export interface Snapshot {
  readonly revision: number
  readonly rows: readonly PolicyRow[]
  /** admins' comments on the rows; no decision uses them */
  readonly comments: Comments
  readonly model: PolicyModel
  readonly engine: Engine
  /** `can(user, action, link)` of the specification (R1..R7): the one policy function that every operation calls. */
  can(user: Subject, action: string, record: Owned | null): boolean
  /** The decision behind `can()`. An absent or suspended user is `anonymous`. */
  decide(user: Subject, action: string, record: Owned | null): Decision
  decideFor(role: string, action: string, relation: Relation): Decision
  /** May the role call an endpoint of this action for some record? */
  mayCall(role: string, action: string): boolean
  /** For lists, exports and the data layer; derived from the same decisions as `can()`. */
  reach(role: string, action: string): CollectionReach
}

/** How many pairs of role and action each revision caches. */
const MOST_CACHED = 10_000

type Answers = Readonly<Record<Relation, Decision>> & { readonly mayCall: boolean }

/** The role under which the engine sees a caller. */
export const roleOf = (user: Subject): string =>
  user === null || user.suspended === true ? ENGINE_ROLES.anonymous : user.role

/**
 * The caller's relation to the record. R5: both ids are present and equal. Ids are canonical decimal text
 * (domain/id.ts), so ids that differ only beyond 2^53 differ here too.
 */
export const relationOf = (user: Subject, record: Owned | null): Relation => {
  if (user === null || user.suspended === true) return 'anonymous'
  return typeof user.id === 'string' && user.id !== '' && user.id === record?.owner_id ? 'own' : 'other'
}

/** Builds the snapshot of a revision. Throws PolicyError if the rows cannot be in force. */
export const buildSnapshot = async (
  revision: number,
  model: PolicyModel,
  rows: readonly PolicyRow[],
  comments: Comments = NO_COMMENTS,
): Promise<Snapshot> => {
  const engine = await buildEngine(model, rows)
  const cache = new Map<string, Map<string, Answers>>()
  let size = 0

  const answers = (role: string, action: string): Answers => {
    const cached = cache.get(role)?.get(action)
    if (cached) return cached
    const answer = (relation: Relation): Decision =>
      Object.freeze({ ...engine.decide(role, action, relation), revision, role, action, relation })
    const computed = Object.freeze({
      anonymous: answer('anonymous'),
      own: answer('own'),
      other: answer('other'),
      mayCall: engine.mayCall(role, action),
    })
    // beyond the limit (a caller making up actions) nothing is cached
    if (size++ < MOST_CACHED) cache.set(role, (cache.get(role) ?? new Map<string, Answers>()).set(action, computed))
    return computed
  }
  const decide = (user: Subject, action: string, record: Owned | null): Decision =>
    answers(roleOf(user), action)[relationOf(user, record)]

  return Object.freeze<Snapshot>({
    revision,
    rows,
    comments,
    model,
    engine,
    can: (user, action, record) => decide(user, action, record).effect === 'allow',
    decide,
    decideFor: (role, action, relation) => answers(role, action)[relation],
    mayCall: (role, action) => answers(role, action).mayCall,
    reach: (role, action) => {
      const { own, other } = answers(role, action)
      if (own.effect === 'allow') return other.effect === 'allow' ? 'any' : 'own'
      return other.effect === 'allow' ? 'others' : 'none'
    },
  })
}
