/** A route's refusal of something that the rows allow. */
interface RouteRefusal {
  readonly why: string
  /** true if the refusal depends on the caller's rights, so that another policy could allow the request */
  readonly restsOnRights: boolean
}

/** By the code recorded in place of a rule. */
export const REFUSED_BY_ROUTE: ReadonlyMap<string, RouteRefusal> = new Map([
  [
    'policy_denied',
    { why: 'the request needed a right beyond these rows, which its answer named', restsOnRights: true },
  ],
  ['beyond_own_rights', { why: 'the edit goes beyond what the caller may do', restsOnRights: true }],
  ['own_proposal', { why: 'nobody decides about their own proposal', restsOnRights: false }],
  ['others_proposal', { why: 'somebody else made the proposal', restsOnRights: false }],
  ['wrong_password', { why: 'the password of the link was wrong', restsOnRights: false }],
])
