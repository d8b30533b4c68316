import type { PolicyRow } from '../../../domain/policy-row.js'
import { capitalized } from '../format.js'

const ROLES: Readonly<Record<string, string>> = {
  anyone: 'everybody',
  user: 'everybody who is signed in',
  anonymous: 'whoever is not signed in',
  admin: 'admins',
  editor: 'editors',
  viewer: 'viewers',
  auditor: 'auditors',
}
/** Everybody with a role. */
export const everyOne = (role: string): string =>
  Object.hasOwn(ROLES, role) ? (ROLES[role] ?? role) : `everybody with the role ${role}`

/** An action in words: for any record, for one's own, and as a verb alone; none if it has no record. */
const ACTIONS: Readonly<Record<string, { readonly any: string; readonly own?: string; readonly verb?: string }>> = {
  'link:read': { any: 'read any link', own: 'read their own links', verb: 'read' },
  'link:create': { any: 'create links' },
  'link:update': { any: 'change any link', own: 'change their own links', verb: 'change' },
  'link:delete': { any: 'delete any link', own: 'delete their own links', verb: 'delete' },
  'link:transfer': { any: 'give any link away', own: 'give their own links away', verb: 'give away' },
  'user:invite': { any: 'invite users' },
  'user:read': { any: 'see any user', own: 'see their own account', verb: 'see' },
  'user:update': { any: 'change any user', own: 'change their own account', verb: 'change' },
  'user:delete': { any: 'delete any user', own: 'delete their own account', verb: 'delete' },
  'policy:read': { any: 'read the policy' },
  'policy:write': { any: 'change the policy' },
  'policy:evaluate': { any: 'ask what the policy answers' },
  'audit:read': { any: 'read the log' },
  'profile:read': { any: 'read any profile', own: 'read their own profile', verb: 'read' },
  'profile:update': { any: 'change any profile', own: 'change their own profile', verb: 'change' },
}

export const doing = (action: string, isOwn: boolean): string => {
  if (action === '*') return isOwn ? 'do everything to what is theirs' : 'do everything'
  const words = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (words === undefined) return isOwn ? `do ${action} to what is theirs` : `do ${action} to anything`
  if (!isOwn) return words.any
  return words.own ?? `${words.any}, where the record is theirs`
}

/** `isRest`: an earlier row already decides about the caller's own records. */
export const rowWords = (row: PolicyRow, isRest = false): string => {
  const who = capitalized(everyOne(row.role))
  if (row.ptype === 'g') return `${who} ${Object.hasOwn(ROLES, row.role) ? 'have' : 'has'} every row of ${row.inherits}`
  if (row.ptype === 'p2') return row.action === '*' ? `${who} may ask for anything` : `${who} may ask to ${asking(row)}`
  const { role, action, reach, effect } = row
  const may = effect === 'allow' ? 'may' : 'may not'
  if (effect === 'deny' && action === '*' && reach === 'any')
    return role === 'anyone' ? 'Everything else is denied' : `${who} may do nothing else`
  if (effect === 'deny' && action === '*') return `${who} may do nothing to what is theirs`
  if (isRest && reach === 'any') {
    const { verb } = (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined) ?? {}
    return `${who} ${may} ${verb ?? `do ${action === '*' ? 'everything' : action} to`} what is not theirs`
  }
  return `${who} ${may} ${doing(action, reach === 'own')}`
}
const asking = ({ action }: { readonly action: string }): string => {
  const some: Readonly<Record<string, string>> = {
    'link:read': 'read a link',
    'link:update': 'change a link',
    'link:delete': 'delete a link',
    'link:transfer': 'give a link away',
    'user:read': 'see users',
    'user:update': 'change a user',
    'user:delete': 'delete a user',
    'profile:read': 'read a profile',
    'profile:update': 'change a profile',
  }
  return Object.hasOwn(some, action) ? (some[action] ?? action) : doing(action, false)
}
