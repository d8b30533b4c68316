type State = 'open' | 'applied' | 'declined' | 'withdrawn'

const DONE: Readonly<Record<State, string>> = {
  open: 'Open',
  applied: 'Approved',
  declined: 'Declined',
  withdrawn: 'Withdrawn',
}

export const proposals = {
  title: 'Edits in two pairs of hands',
  lead: 'Where POLICY_APPROVALS is set, one admin proposes an edit of the policy, and another puts it in force.',
  one: (id: string) => `Proposal ${id}`,
  back: 'To all proposals',
  state: 'State',
  states: { open: 'open', applied: 'approved', declined: 'declined', withdrawn: 'withdrawn' } satisfies Record<
    State,
    string
  >,
  all: 'all',
  by: (who: string, when: string) => `${who}, ${when}`,
  closed: (state: State, who: string, when: string, why: string | null) =>
    `${DONE[state]} by ${who}, ${when}${why === null ? '' : `: ${why}`}`,
  noneOpen: 'Nothing waits for approval.',
  noneHint: 'What became of earlier ones is behind “State”.',
  none: 'There is none.',
  against: (revision: string) => `Shown against revision ${revision}, in force. Nothing changes until it is approved.`,
  moved: (base: string, revision: string) =>
    `Made on revision ${base}, and shown against revision ${revision}, which is in force by now.`,
  inItsWay: (title: string) => `It cannot be approved as it is: ${title}`,
  commentsAlone: 'Comments of rows that stay',
  decide: 'Decision',
  reason: 'Reason, for the record',
  reasonHint: 'Needed to decline it.',
  approve: (revision: string) => `Approve as revision ${revision}`,
  approved: (revision: string) => `Revision ${revision} is in force.`,
  decline: 'Decline',
  declined: 'It is declined.',
  withdraw: 'Withdraw',
  withdrawn: 'It is withdrawn.',
  notRecorded: 'Somebody else decided first. What you typed stays here, but is not in the record.',
  own: 'it is yours: somebody else decides',
  blocked: 'something stands in its way',
  sayWhy: 'say why, for the record',
}
