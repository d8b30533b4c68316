import type { Decision, Relation } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Subject } from '../domain/user.js'
import { buildEngine } from './engine.js'
import type { Engine } from './engine.js'
import type { PolicyModel } from './model.js'

/** Which records of a collection a role's rows reach with an action. */
export type CollectionReach = 'none' | 'own' | 'any'

/** One revision of the policy: immutable, whole, synchronous. */
export interface Snapshot {
  readonly revision: number
  readonly rows: readonly PolicyRow[]
  readonly model: PolicyModel
  readonly engine: Engine
  /** `can(user, action, link)` of the specification (R1..R7): the one policy function that every operation calls. */
  can(user: Subject, action: string, record: Owned | null): boolean
  /** The decision behind `can()`, with the rule that made it. An absent or suspended user is `anonymous`. */
  decide(user: Subject, action: string, record: Owned | null): Decision
  /** The same for a role and a relation: what the decision table is made of. */
  decideFor(role: string, action: string, relation: Relation): Decision
  /** May this role call an endpoint of this action for some record? */
  mayCall(role: string, action: string): boolean
  /** Which records the role reaches: for lists, exports and the data layer, from the same decisions as `can()`. */
  reach(role: string, action: string): CollectionReach
}

/** Remembered questions per revision. Beyond it (a caller that invents actions) answers are computed and not kept. */
const REMEMBERED = 10_000

type Answers = Readonly<Record<Relation, Decision>> & { readonly endpoint: boolean }

/**
 * R5's equality: both ids are present and the same text. Ids are canonical decimal text (domain/id.ts), so ids that
 * differ only beyond 2^53 differ here too.
 */
const owns = (id: string | null | undefined, owner: string | null | undefined): boolean =>
  typeof id === 'string' && id !== '' && id === owner

/** The role under which the engine sees a caller. */
export const roleOf = (user: Subject): string =>
  user === null || user.suspended === true ? ENGINE_ROLES.anonymous : user.role

/** How the caller stands to the record. */
export const relationOf = (user: Subject, record: Owned | null): Relation => {
  if (user === null || user.suspended === true) return 'anonymous'
  return record !== null && owns(user.id, record.owner_id) ? 'own' : 'other'
}

/** Builds the snapshot of a revision. Rejects with PolicyError, and nothing that is in force is touched. */
export const buildSnapshot = async (
  revision: number,
  model: PolicyModel,
  rows: readonly PolicyRow[],
): Promise<Snapshot> => {
  const engine = await buildEngine(model, rows)
  const remembered = new Map<string, Map<string, Answers>>()
  let size = 0

  const decision = (role: string, action: string, relation: Relation): Decision => {
    const { allowed, row } = engine.ask(role, action, relation)
    return Object.freeze({
      effect: allowed ? 'allow' : 'deny',
      rule: row?.rule ?? 'default',
      row,
      revision,
      role,
      action,
      relation,
    })
  }
  const remember = (role: string, action: string): Answers => {
    const answers: Answers = Object.freeze({
      anonymous: decision(role, action, 'anonymous'),
      own: decision(role, action, 'own'),
      other: decision(role, action, 'other'),
      endpoint: engine.askEndpoint(role, action),
    })
    if (size < REMEMBERED) {
      size += 1
      const ofRole = remembered.get(role)
      if (ofRole) ofRole.set(action, answers)
      else remembered.set(role, new Map([[action, answers]]))
    }
    return answers
  }
  const answers = (role: string, action: string): Answers => remembered.get(role)?.get(action) ?? remember(role, action)
  const decide = (user: Subject, action: string, record: Owned | null): Decision =>
    answers(roleOf(user), action)[relationOf(user, record)]

  return Object.freeze({
    revision,
    rows,
    model,
    engine,
    can: (user: Subject, action: string, record: Owned | null) => decide(user, action, record).effect === 'allow',
    decide,
    decideFor: (role: string, action: string, relation: Relation) => answers(role, action)[relation],
    mayCall: (role: string, action: string) => answers(role, action).endpoint,
    reach: (role: string, action: string): CollectionReach => {
      const { own, other } = answers(role, action)
      if (other.effect === 'allow') return own.effect === 'allow' ? 'any' : 'none'
      return own.effect === 'allow' ? 'own' : 'none'
    },
  })
}
