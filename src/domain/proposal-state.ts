/** The states of a proposed edit of the policy; only an open one can change. */
export const PROPOSAL_STATES = ['open', 'applied', 'declined', 'withdrawn'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]
