import type { Turned } from '../../parts/policy/turned'
import { listed, number } from '../format'
import { doing, everyOne, rowWords } from './policy-rows'

export const policy = {
  /** A row in a sentence. */
  row: rowWords,
  /** Everybody with a role. */
  everyOne,
  /** An action in words, for any record or for one's own. */
  doing,
  unreadable: 'a row that this version cannot read',
  effects: { allow: 'allow', deny: 'deny' },
  yesOrNo: { allow: 'yes', deny: 'no' },
  relations: { anonymous: 'absent', own: 'own', other: 'other’s' },
  any: 'any',
  action: 'Action',
  role: 'Role',
  otherRole: 'any other role',
  otherAction: 'any other action',
  inherits: (roles: readonly string[]) => `inherits ${listed(roles)}`,
  /** shown instead of a rule if no row was evaluated */
  atEndpoint: 'endpoint',
  endpointTurns: { allow: 'may ask now', deny: 'may not ask any more' },
  before: 'before:',
  after: 'after:',
  find: 'Find a role or an action',
  findRole: 'Find a role',
  clearFind: 'Show all',
  nothing: (text: string) => `No role and no action has “${text.trim()}” in its name.`,
  pin: 'Roles to pin',
  pinned: (pinned: number, all: number) =>
    pinned === 0 ? `Roles: all ${number(all)}` : `Roles: ${number(pinned)} of ${number(all)} pinned`,
  pinHint: 'Pinned roles stand first and stay while you search.',
  unpin: 'Unpin all',
  decides: 'decides:',
  letsIn: 'lets the role in',
  /** why a row does not match, as the service says it */
  noMatch: (why: string | null) => (why === null ? 'does not match' : `does not match: ${why}`),
  notListed: (count: string) =>
    count === '1' ? '1 more row is not listed here.' : `${count} more rows are not listed here.`,
  mayAsk: (role: string) => `May ${everyOne(role)} ask at all?`,
  inOrder: 'Rows, in the order in which they are read',
  noEndpoint: (role: string) => `No endpoint row lets ${everyOne(role)} in, so no row of a record is asked.`,
  rowSays: (priority: number) => `Row ${priority} says so: the first that matches decides.`,
  noneMatches: 'No row matches, and what no row allows is denied.',
  counts: (role: string, inherits: readonly string[]) =>
    `Rows of ${listed([role, ...inherits])} count. Rows of other roles and actions cannot match and are not listed.`,
  under: 'Under which revision',
  at: (chosen: number | null, shown: number | null) => {
    if (chosen !== null) return `At: revision ${number(chosen)}`
    return shown === null ? 'At: now' : `At: now, revision ${number(shown)}`
  },
  revision: 'Revision',
  thatDay: 'In force on',
  noneThen: 'There was no revision yet.',
  now: 'Now',
  decision: 'Decision',
  both: 'both',
  added: 'added',
  removed: 'removed',
  noRows: 'No row differs.',
  turned: ({ all, toAllow, toDeny, byOtherRule }: Turned): string => {
    if (all === 0) return 'No decision changed.'
    const parts = [
      toAllow > 0 && `${number(toAllow)} to allow`,
      toDeny > 0 && `${number(toDeny)} to deny`,
      byOtherRule > 0 && `${number(byOtherRule)} by another rule`,
    ].filter((part) => part !== false)
    return `${number(all)} ${all === 1 ? 'decision' : 'decisions'}: ${parts.join(', ')}`
  },
}
