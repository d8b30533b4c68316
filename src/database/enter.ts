import type { Statement } from './statement.js'

/** Turns the rest of a transaction into one of a role, for one user; for nobody, no row of an owner matches. */
export const enter = (role: string, userId: string | null): Statement => ({
  name: 'enter',
  text: 'select enter($1, $2)',
  values: [role, userId],
})
