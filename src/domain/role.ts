/**
 * Names that the engine itself gives a meaning (model.conf). No user's role may ever be one of them:
 * refused here and by a constraint on the users table.
 */
export const ENGINE_ROLES = {
  /** the caller without a user (R2) */
  anonymous: 'anonymous',
  /** every caller, signed in or not (R1, R6) */
  anyone: 'anyone',
  /** every signed-in caller, whatever their role (R4, R5) */
  user: 'user',
} as const

const SHAPE = /^[a-z][a-z0-9_-]{0,31}$/

/** A role name as policy rows may use it; includes the engine's own names. */
export const isRoleName = (text: unknown): text is string => typeof text === 'string' && SHAPE.test(text)

/** A role that a user may hold. */
export const isUserRole = (text: unknown): text is string => isRoleName(text) && !Object.hasOwn(ENGINE_ROLES, text)

/** A role that a request can be decided for: of a user, or of a caller without one. `anyone` is no caller's role. */
export const isCallerRole = (text: unknown): text is string => isRoleName(text) && text !== ENGINE_ROLES.anyone
