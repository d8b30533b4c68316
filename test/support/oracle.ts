/**
 * The specification's rules, written down once more by hand: what the program is held against. Nothing of src/ is used
 * here.
 */
export type OracleUser = { readonly id?: string | null; readonly role: string; readonly suspended?: boolean } | null
export type OracleRecord = { readonly owner_id?: string | null } | null

export interface OracleAnswer {
  readonly effect: 'allow' | 'deny'
  readonly rule: string
}

/** R1 to R7, top to bottom; the first match decides. A suspended user is treated as an absent one. */
export const oracle = (user: OracleUser, action: string, record: OracleRecord): OracleAnswer => {
  const absent = user === null || user.suspended === true
  const owns = !absent && typeof user.id === 'string' && user.id !== '' && record?.owner_id === user.id
  if (action === 'link:read') return { effect: 'allow', rule: 'R1' }
  if (absent) return { effect: 'deny', rule: 'R2' }
  if (user.role === 'admin') return { effect: 'allow', rule: 'R3' }
  if (action === 'link:create') return { effect: 'allow', rule: 'R4' }
  if (action === 'link:update' || action === 'link:delete') return { effect: owns ? 'allow' : 'deny', rule: 'R5' }
  if (action === 'profile:read' || action === 'profile:update')
    return owns ? { effect: 'allow', rule: 'R7' } : { effect: 'deny', rule: 'R6' }
  return { effect: 'deny', rule: 'R6' }
}

/** May the role call an endpoint of the action at all, with the default rows? */
export const oracleEndpoint = (user: OracleUser, action: string): boolean => {
  if (action === 'link:read') return true
  if (user === null || user.suspended === true) return false
  return (
    user.role === 'admin' ||
    ['link:create', 'link:update', 'link:delete', 'profile:read', 'profile:update'].includes(action)
  )
}

/** What the oracle has to know of an operation of the contract. */
export interface OracleOperation {
  readonly scope: string
  readonly endpoint: string
  /** what can() is asked; `none` where nothing is decided */
  readonly action: string
  /** what can() is asked after it */
  readonly and?: string
  /** true where the operation is about one record that has to exist */
  readonly record: boolean
  readonly status: number
}

export interface OracleStatus {
  readonly status: number
  readonly code?: string
  readonly rule?: string
}

/**
 * The answer to a request whose token has the scope that it needs: the four layers in order (section 4 of the
 * contract). A suspended user's token is not valid, wherever it is sent.
 */
export const oracleStatus = (user: OracleUser, operation: OracleOperation, record: OracleRecord): OracleStatus => {
  if (user?.suspended === true) return { status: 401, code: 'invalid_token' }
  if (user === null && operation.scope !== 'public') return { status: 401, code: 'token_required' }
  if (operation.endpoint !== 'none' && !oracleEndpoint(user, operation.endpoint))
    return { status: 403, code: 'role_not_allowed' }
  if (operation.action === 'none') return { status: operation.status }
  if (operation.record && record === null) return { status: 404, code: 'not_found' }
  for (const action of [operation.action, operation.and ?? 'none'].filter((each) => each !== 'none')) {
    const { effect, rule } = oracle(user, action, record)
    if (effect === 'deny') return { status: 403, code: 'policy_denied', rule }
  }
  return { status: operation.status }
}
