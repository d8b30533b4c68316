import type { Statement } from './statement.js'

/** Runs the rest of a transaction as a role and a user. Without a user, no row with an owner matches. */
export const enter = (role: string, userId: string | null): Statement => ({
  name: 'enter',
  text: 'select enter($1, $2)',
  values: [role, userId],
})
