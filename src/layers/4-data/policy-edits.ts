import type { Database } from '../../database/database.js'
import { Refusal } from '../../domain/refusal.js'
import type { User } from '../../domain/user.js'
import { createAccounts } from '../../identity/accounts.js'
import { commitEdit, type EditOrigin } from '../../policy/commit-edit.js'
import type { EditPlan } from '../../policy/edit.js'
import { closeProposal, insertProposal, type Actor } from '../../policy/proposal-statements.js'
import { originOfApproved, type Proposal } from '../../policy/proposals.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { DataContext, DataRule } from '../rules.js'
import { bind, changeOne, requireCaller, requireUser } from './context.js'

/** Edits of the policy, for callers who may edit it. */
export interface PolicyEdits {
  /** Commits a plan as the caller, with the decision that allowed it. Throws whatever `commitEdit` throws. */
  commit(plan: EditPlan, reason: string): Promise<Snapshot>
  /** stores a plan as a proposal, if somebody else has to approve it; null if no approval is needed */
  readonly propose: ((plan: EditPlan, reason: string) => Promise<Proposal>) | null
  /** the roles that users have, to tell new roles from misspelt ones */
  rolesInUse(): Promise<readonly string[]>
}

/** Proposals, for callers who may edit the policy. */
interface Proposals {
  /** Throws `proposal_closed`. */
  close(proposal: Proposal, state: 'declined' | 'withdrawn', reason: string | null): Promise<Proposal>
  /**
   * Commits the plan of a proposal as the next revision and closes the proposal in the same transaction. `proposer`:
   * the user as they were when their rights were checked; null for the command line. Throws `proposal_closed`, and
   * whatever `commitEdit` throws.
   */
  approve(plan: EditPlan, proposal: Proposal, proposer: User | null, reason: string | null): Promise<Snapshot>
}

const ROLES = { own: 'policy_editor', any: 'policy_editor' } as const

const actorOf = ({ caller }: DataContext): Actor => ({ id: caller.user?.id ?? null, name: null })

/** The caller as a proposal shows them. */
const shownActorOf = ({ caller: { user } }: DataContext): Actor => ({ id: user?.id ?? null, name: user?.email ?? null })

/** The origin of an edit over HTTP: the caller, the re-check of the caller, and the decision that allowed the edit. */
const editOriginOf = (context: DataContext): Omit<EditOrigin, 'reason'> => {
  const { caller, decision, requestId, snapshot, deadline } = context
  return {
    actor: actorOf(context),
    proofs: [requireCaller(caller)],
    deadline,
    decision: {
      request_id: requestId,
      revision: snapshot.revision,
      subject_role: caller.user?.role ?? '',
      token_id: caller.tokenId,
      rule: decision?.rule ?? '',
      row_priority: decision?.row?.priority ?? null,
    },
  }
}

const propose = async (
  database: Database,
  context: DataContext,
  { add, remove, commented, candidate }: EditPlan,
  reason: string,
): Promise<Proposal> => {
  const base = context.snapshot.revision
  if (candidate.revision !== base + 1)
    throw new Refusal('policy_unavailable', {
      detail: 'The stored rows cannot be in force, so nothing can be proposed: see docs/operations.md.',
      headers: { 'Retry-After': '1' },
    })
  const insert = insertProposal({ actor: actorOf(context), reason, base, add, remove, commented })
  const binding = bind({ ...context, status: 202 }, 'any', ROLES)
  const { id, time } = await changeOne<{ id: string; time: Date }>(database, binding, insert)
  return {
    id,
    state: 'open',
    actor: shownActorOf(context),
    reason,
    time: time.toISOString(),
    base,
    added: [...add],
    removed: [...remove],
    comments: [...commented],
    closed: null,
    revision: null,
  }
}

/** The data layer of edits. `approvals`: POLICY_APPROVALS. */
export const policyEditsStore = (database: Database, approvals: boolean): DataRule<PolicyEdits> => ({
  rows: 'policy rows, as one revision',
  open: (context) => ({
    commit: async (plan, reason) => commitEdit(database, plan, { ...editOriginOf(context), reason }),
    propose: approvals ? (plan, reason) => propose(database, context, plan, reason) : null,
    rolesInUse: () => createAccounts(database).rolesInUse(),
  }),
})

/** The data layer of proposals. */
export const proposalsStore = (database: Database): DataRule<Proposals> => ({
  rows: 'proposals, and policy rows as one revision',
  open: (context) => ({
    close: async (proposal, state, reason) => {
      const closing = closeProposal(proposal.id, { state, actor: actorOf(context), reason })
      const { time } = await changeOne<{ time: Date }>(database, bind(context, 'any', ROLES), closing)
      return { ...proposal, state, closed: { actor: shownActorOf(context), time: time.toISOString(), reason } }
    },
    approve: async (plan, proposal, proposer, why) => {
      const origin = editOriginOf(context)
      // in lock order, so that two approvals cannot deadlock (functions/lock_rights.sql)
      const people = [
        { user: context.caller.user, proof: requireCaller(context.caller) },
        ...(proposer === null ? [] : [{ user: proposer, proof: requireUser(proposer) }]),
      ].sort((a, b) => placeOf(a.user) - placeOf(b.user))
      return commitEdit(database, plan, {
        ...origin,
        ...originOfApproved(proposal, origin.actor, why),
        proofs: people.map(({ proof }) => proof),
      })
    },
  }),
})

const placeOf = (user: User | null): number => Number(BigInt(user?.id ?? 0) % 2_147_483_647n)
