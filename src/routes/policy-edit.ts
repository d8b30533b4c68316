import { z } from 'zod'

import type { Database } from '../database/database.js'
import { PolicyReplaced } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import { createAccounts } from '../identity/accounts.js'
import { requireCaller } from '../layers/4-data/context.js'
import type { Replays } from '../layers/4-data/replay.js'
import type { Answer, Caller, DataRule } from '../layers/route.js'
import type { CurrentPolicy } from '../policy/current.js'
import { commitEdit } from '../policy/edit.js'
import type { EditPlan } from '../policy/edit.js'
import { PolicyError } from '../policy/policy-error.js'
import { isEmpty } from '../policy/replacement.js'
import { describeLoneRole, findLoneRoles, rolesIn } from '../policy/role-names.js'
import type { Snapshot } from '../policy/snapshot.js'
import { Trial } from './policy-schemas.js'

interface EditStore {
  commit(plan: EditPlan, reason: string): Promise<Snapshot>
  /** the roles that users have, to tell a new one from a misspelt one */
  rolesInUse(): Promise<readonly string[]>
}

/** The fourth layer of an edit: commits a plan as the caller, with the decision that allowed it. */
export const editStore = (database: Database): DataRule<EditStore> => ({
  rows: 'policy rows, as one revision',
  open: ({ caller, decision, requestId, snapshot, deadline }) => ({
    rolesInUse: () => createAccounts(database).rolesInUse(),
    commit: async (plan, reason) =>
      commitEdit(database, plan, {
        actor: { id: caller.user?.id ?? null, name: null },
        reason,
        proof: requireCaller(caller),
        deadline,
        decision: {
          request_id: requestId,
          revision: snapshot.revision,
          subject_role: caller.user?.role ?? '',
          token_id: caller.tokenId,
          rule: decision?.rule ?? '',
          row_priority: decision?.row?.priority ?? null,
        },
      }),
  }),
})

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
  const named = Number(/^"([1-9]\d{0,14})"$/.exec(ifMatch.trim())?.[1])
  if (named === snapshot.revision) return
  // another process made this revision and this one has not loaded it yet: load it, then decide again
  if (named > snapshot.revision && (await policy.refresh()).revision > snapshot.revision)
    throw new PolicyReplaced(`If-Match ${named}`)
  throw new Refusal('precondition_failed', { detail: `Policy revision ${snapshot.revision} is in force.` })
}

/** Where the stored rows are not those that the edit was made for: has them loaded, and answers 503 meanwhile. */
const loadOtherRows = async (policy: CurrentPolicy, error: unknown): Promise<never> => {
  if (!(error instanceof PolicyError)) throw error
  await policy.check().catch(() => undefined)
  throw new Refusal('policy_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
}

/** Answers what the plan changes, after committing it unless this is a dry run or nothing changes. */
export const performEdit = async (
  policy: CurrentPolicy,
  plan: EditPlan,
  {
    snapshot,
    caller,
    query,
    part,
  }: {
    readonly snapshot: Snapshot
    readonly caller: Pick<Caller, 'user'>
    readonly query: z.output<typeof Trial>
    readonly part: Replays | null
  },
  store: EditStore,
  reason: string,
): Promise<Answer> => {
  const { add, remove, commented, changes, candidate, maker } = plan
  if (maker !== caller.user) throw new Error('a plan was not checked against the rights of its maker')
  const changed = { decisions_changed: changes, added: add, removed: remove, comments: commented }
  const { dry_run, replay, replay_until: until } = query
  if (dry_run) {
    const replayed = part && replay ? { replay: await part.of({ ...replay, until, inForce: snapshot, candidate }) } : {}
    const known = [...rolesIn(snapshot.rows), ...(await store.rolesInUse())]
    const added = rolesIn(add)
    const warnings = findLoneRoles(candidate.rows, known).filter(({ role }) => added.has(role))
    return {
      status: 200,
      body: {
        revision: snapshot.revision,
        dry_run,
        ...changed,
        warnings: warnings.map((lone) => ({ ...lone, message: describeLoneRole(lone) })),
        ...replayed,
      },
      unchanged: true,
    }
  }
  if (isEmpty(plan)) return { status: 200, body: { revision: snapshot.revision, ...changed }, unchanged: true }
  // in force in this process before the answer; the other processes are notified
  policy.adopt(await store.commit(plan, reason).catch((error: unknown) => loadOtherRows(policy, error)))
  return {
    status: 200,
    body: { revision: candidate.revision, ...changed },
    headers: { ETag: `"${candidate.revision}"` },
  }
}
