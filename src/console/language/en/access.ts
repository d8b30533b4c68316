import { listed, number } from '../format'

export const access = {
  lead: 'Every question that the policy can be asked, answered. Exact, not a sample.',
  revision: (revision: string, isInForce: boolean) =>
    isInForce ? `Revision ${revision}, in force.` : `As it was under revision ${revision}.`,
  export: 'Export CSV',
  propose: 'Propose an edit',
  explain: 'Explain for a person',
  legend: 'On the right of a cell: the rule that says so. One wide cell: own and other’s alike.',
  withUser: (roles: readonly string[]) =>
    `${roles.length > 9 ? `${number(roles.length)} roles` : listed(roles)} ${
      roles.length === 1 ? 'inherits' : 'inherit'
    } every row of user.`,
  exact: '“Any other role” and “any other action” stand for every name that no row holds, so nothing is left out.',
}
