/** An operation as the policy names it: `<resource>:<verb>`. */
export type Action = `${string}:${string}`

/** The actions of this service's own routes. Policy rows may name others, for programs that use AuthZEN. */
export const ACTIONS = [
  'link:read',
  'link:create',
  'link:update',
  'link:delete',
  'link:transfer',
  'user:invite',
  'user:read',
  'user:update',
  'user:delete',
  'policy:read',
  'policy:write',
  'policy:evaluate',
  'audit:read',
  'profile:read',
  'profile:update',
] as const satisfies readonly Action[]

export type ServiceAction = (typeof ACTIONS)[number]

/**
 * The scopes that a token may have: all actions, and scopes that are not actions. `token:create` lets a personal token
 * make others; it is granted only if it is requested by name.
 */
export const SCOPES = [...ACTIONS, 'token:create'] as const

export type Scope = (typeof SCOPES)[number]

const SHAPE = /^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$/

export const isAction = (text: unknown): text is Action => typeof text === 'string' && SHAPE.test(text)

export const isServiceAction = (text: string): text is ServiceAction => (ACTIONS as readonly string[]).includes(text)

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text)
