import { listed, number } from '../format'
import { doing, everyOne, rowWords } from './policy-rows'

/** What is said of the policy wherever it is shown. */
export const policy = {
  /** A row in a sentence. */
  row: rowWords,
  /** Everybody with a role. */
  everyOne,
  /** What an action does, to anything or to one's own. */
  doing,
  unreadable: 'a row that this version cannot read',
  effects: { allow: 'allow', deny: 'deny' },
  relations: { anonymous: 'absent', own: 'own', other: 'other’s' },
  any: 'any',
  action: 'Action',
  role: 'Role',
  otherRole: 'any other role',
  otherAction: 'any other action',
  inherits: (roles: readonly string[]) => `inherits ${listed(roles)}`,
  /** a rule’s place where no row was asked */
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
}
