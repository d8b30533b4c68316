/** Roles that model.conf treats specially. A constraint on the users table also keeps users from having one of them. */
export const ENGINE_ROLES = {
  /** callers without a user (R2) */
  anonymous: 'anonymous',
  /** every caller, signed in or not (R1, R6) */
  anyone: 'anyone',
  /** every signed-in caller (R4, R5) */
  user: 'user',
} as const

const SHAPE = /^[a-z][a-z0-9_-]{0,31}$/

/** A role name that policy rows may use, including those above. */
export const isRoleName = (text: unknown): text is string => typeof text === 'string' && SHAPE.test(text)

/** A role that a user may hold. */
export const isUserRole = (text: unknown): text is string => isRoleName(text) && !Object.hasOwn(ENGINE_ROLES, text)

/** A role that a caller can have: that of a user, or `anonymous`. No caller has the role `anyone`. */
export const isCallerRole = (text: unknown): text is string => isRoleName(text) && text !== ENGINE_ROLES.anyone
