import type { z } from 'zod'

import type { Database } from '../database/database.js'
import { PolicyReplaced } from '../database/errors.js'
import type { Gate } from '../domain/gate.js'
import type { FindLink } from '../domain/link.js'
import { positiveIntegerIn } from '../domain/positive-integer.js'
import { Refusal, policyUnavailable } from '../domain/refusal.js'
import type { FindUser } from '../domain/user.js'
import type { PolicyEdits } from '../layers/4-data/policy-edits.js'
import type { Replays } from '../layers/4-data/replay.js'
import type { Answer, HandlerInput } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import type { CurrentPolicy } from '../policy/current.js'
import { isEmpty, viewPlan, type EditPlan } from '../policy/edit.js'
import type { FindSnapshot } from '../policy/past-snapshots.js'
import { PolicyError } from '../policy/policy-error.js'
import { describeLoneRole, findLoneRoles, rolesIn } from '../policy/role-names.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { PolicyRules } from '../policy/store.js'
import type { Trial } from './policy-schemas.js'

/** What the routes under /policy work with. */
export interface PolicyParts {
  readonly database: Database
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
  /** the analyses of the whole policy, one at a time */
  readonly analyses: Gate
  readonly replays: DataRule<Replays>
  readonly findSnapshot: FindSnapshot
  readonly findUser: FindUser
  readonly findLink: FindLink
  /** POLICY_APPROVALS */
  readonly approvals: boolean
}

/** RFC 9110 §13.1.1 with the revision as the tag: 428 without If-Match, 412 if another revision is in force. */
export const requireRevision = async (
  policy: CurrentPolicy,
  snapshot: Snapshot,
  ifMatch: string | undefined,
): Promise<void> => {
  if (ifMatch === undefined)
    throw new Refusal('precondition_required', {
      detail: 'Send If-Match with the ETag of GET /policy, so that you only change rows that you have seen.',
    })
  const named = ifMatch.split(',').flatMap((tag) => positiveIntegerIn(/^"(\d+)"$/.exec(tag.trim())?.[1]) ?? [])
  // another process may have made this revision, and this one has not loaded it yet: load it, then decide again
  const isNewer = named.some((revision) => revision > snapshot.revision)
  if (isNewer && (await policy.refresh()).revision > snapshot.revision) throw new PolicyReplaced(`If-Match ${named}`)
  if (named.includes(snapshot.revision)) return
  throw new Refusal('precondition_failed', {
    detail: `If-Match must name the policy revision in force, "${snapshot.revision}".`,
  })
}

/** A replay shows which users an edit affects, which only readers of the log may see. */
export const replayPart = (replays: DataRule<Replays>) =>
  ({ asked: ({ replay }: ReplayQuery) => replay !== undefined, action: 'audit:read', data: replays }) as const

type ReplayQuery = Pick<z.output<typeof Trial>, 'replay' | 'replay_until'>

/** The replay of an edit, if it is asked for: what would have been different. */
export const replayed = async (
  part: Replays | null,
  { replay, replay_until: until }: ReplayQuery,
  inForce: Snapshot,
  candidate: Snapshot,
) => (part && replay ? { replay: await part.of({ ...replay, until, inForce, candidate }) } : {})

/** If the stored rows are not those that the edit was made for, reloads them and responds with 503. */
const loadOtherRows = async (policy: CurrentPolicy, error: unknown): Promise<never> => {
  if (!(error instanceof PolicyError)) throw error
  await policy.check().catch(() => undefined)
  throw policyUnavailable(error)
}

type EditInput = Pick<
  HandlerInput<unknown, z.output<typeof Trial>, unknown, unknown, PolicyEdits, Replays>,
  'snapshot' | 'caller' | 'query' | 'part' | 'store'
>

/** Returns what the plan changes, after committing it unless this is a dry run or nothing changes. */
export const performEdit = async (
  policy: CurrentPolicy,
  plan: EditPlan,
  { snapshot, caller, query, part, store }: EditInput,
  reason: string,
): Promise<Answer> => {
  const { add, candidate, maker } = plan
  if (maker !== caller.user) throw new Error('a plan was not checked against the rights of its maker')
  const { dry_run } = query
  if (dry_run) {
    const known = [...rolesIn(snapshot.rows), ...(await store.rolesInUse())]
    const added = rolesIn(add)
    const warnings = findLoneRoles(candidate.rows, known).filter(({ role }) => added.has(role))
    return {
      status: 200,
      body: {
        revision: snapshot.revision,
        dry_run,
        ...viewPlan(plan),
        warnings: warnings.map((lone) => ({ ...lone, message: describeLoneRole(lone) })),
        ...(await replayed(part, query, snapshot, candidate)),
      },
      unchanged: true,
    }
  }
  if (isEmpty(plan)) return { status: 200, body: { revision: snapshot.revision, ...viewPlan(plan) }, unchanged: true }
  if (store.propose !== null) {
    const proposal = await store.propose(plan, reason)
    return { status: 202, body: { revision: snapshot.revision, ...viewPlan(plan), proposal } }
  }
  return answerCommitted(policy, plan, store.commit(plan, reason))
}

/** Puts a committed plan in force in this process, and returns it; the other processes are notified. */
export const answerCommitted = async (
  policy: CurrentPolicy,
  plan: EditPlan,
  committing: Promise<Snapshot>,
): Promise<Answer> => {
  const committed = await committing.catch((error: unknown) => loadOtherRows(policy, error))
  policy.adopt(committed)
  const { revision } = committed
  return { status: 200, body: { revision, ...viewPlan(plan) }, headers: { ETag: `"${revision}"` } }
}
