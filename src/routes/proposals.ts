import { PolicyReplaced } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import { proposalsStore } from '../layers/4-data/policy-edits.js'
import { route } from '../layers/compose.js'
import type { Caller } from '../layers/caller.js'
import type { Route } from '../layers/route.js'
import {
  countProposals,
  findProposal,
  listProposals,
  planProposal,
  requireOpen,
  requireProposer,
  weighProposal,
  type Proposal,
} from '../policy/proposals.js'
import { answerCommitted, requireRevision, type PolicyParts } from './policy-edit.js'
import { EditView } from './policy-schemas.js'
import {
  Approval,
  ByProposal,
  Declining,
  ProposalQuery,
  ProposalView,
  ProposalsView,
  ShownProposal,
} from './proposal-schemas.js'
import { withCount } from './schemas.js'
import { READING_POLICY, WRITING_POLICY } from './shared-layers.js'

/** Compares users, whichever tokens they use. */
const requireAnother = ({ actor }: Proposal, { user }: Caller): void => {
  if (actor.id !== null && actor.id === user?.id) throw new Refusal('own_proposal')
}

/** Proposed edits of the policy (POLICY_APPROVALS), and their outcome. */
export const proposalRoutes = ({ database, rules, policy, findUser, analyses }: PolicyParts): readonly Route[] => {
  const requireProposal = async ({ id }: { readonly id: string }): Promise<Proposal> => {
    const proposal = await findProposal(database, id)
    if (proposal === null) throw new Refusal('not_found')
    return proposal
  }
  const deciding = {
    ...WRITING_POLICY,
    data: proposalsStore(database),
    params: ByProposal,
  } as const

  return [
    route({
      ...READING_POLICY,
      path: '/policy/proposals',
      query: ProposalQuery,
      handle: async ({ query: { count, ...query } }) => ({
        status: 200,
        body: await withCount(listProposals(database, query), count, () => countProposals(database, query.state)),
      }),
      documentation: {
        id: 'listPolicyProposals',
        summary: 'List proposals',
        description: 'Open and closed ones, newest first.',
        tag: 'policy',
        response: ProposalsView,
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/proposals/:id',
      params: ByProposal,
      handle: async ({ params, snapshot, deadline }) => {
        const proposal = await requireProposal(params)
        const isOpen = proposal.state === 'open'
        const against = isOpen
          ? await analyses(() => weighProposal(snapshot, proposal, rules, findUser, deadline))
          : null
        return { status: 200, body: { ...proposal, against } }
      },
      documentation: {
        id: 'getPolicyProposal',
        summary: 'Show a proposal',
        description: 'With what it would change now.',
        tag: 'policy',
        response: ShownProposal,
      },
    }),
    route({
      ...deciding,
      path: '/policy/proposals/:id/approve',
      body: Approval,
      handle: async ({ store, params, body, caller, snapshot, headers, layers, deadline }) => {
        const proposal = await requireProposal(params)
        requireAnother(proposal, caller)
        if (!(await layers.isNewest())) throw new PolicyReplaced()
        requireOpen(proposal)
        if (headers.ifMatch !== undefined) await requireRevision(policy, snapshot, headers.ifMatch)
        const plan = await planProposal(snapshot, proposal, rules, caller.user, deadline)
        const proposer = await requireProposer(snapshot, plan, proposal, findUser, deadline)
        return answerCommitted(policy, plan, store.approve(plan, proposal, proposer, body.reason ?? null))
      },
      documentation: {
        id: 'approvePolicyProposal',
        tagged: 'write',
        ifMatch: 'optional',
        refusals: [
          'own_proposal',
          'proposal_closed',
          'proposal_conflicts',
          'proposer_lost_rights',
          'invariant_violated',
          'beyond_own_rights',
        ],
        example: { body: { reason: 'as agreed' } },
        summary: 'Approve somebody else’s proposal',
        description: 'Puts it in force, with the checks that every edit passes, made now.',
        tag: 'policy',
        response: EditView,
      },
    }),
    route({
      ...deciding,
      path: '/policy/proposals/:id/decline',
      body: Declining,
      handle: async ({ store, params, body, caller }) => {
        const proposal = await requireProposal(params)
        requireAnother(proposal, caller)
        requireOpen(proposal)
        return { status: 200, body: await store.close(proposal, 'declined', body.reason) }
      },
      documentation: {
        id: 'declinePolicyProposal',
        refusals: ['own_proposal', 'proposal_closed'],
        example: { body: { reason: 'viewers need no more than they have' } },
        summary: 'Decline somebody else’s proposal',
        tag: 'policy',
        response: ProposalView,
      },
    }),
    route({
      ...deciding,
      method: 'delete',
      status: 204,
      path: '/policy/proposals/:id',
      handle: async ({ store, params, caller }) => {
        const proposal = await requireProposal(params)
        if (proposal.actor.id === null || proposal.actor.id !== caller.user?.id) throw new Refusal('others_proposal')
        requireOpen(proposal)
        await store.close(proposal, 'withdrawn', null)
        return { status: 204 }
      },
      documentation: {
        id: 'withdrawPolicyProposal',
        refusals: ['others_proposal', 'proposal_closed'],
        summary: 'Withdraw your own proposal',
        tag: 'policy',
      },
    }),
  ]
}
