/** The specification's rules, written down once more by hand: what the program is held against. Nothing of src/ is used here. */
export type OracleUser = { readonly id?: string | null; readonly role: string; readonly suspended?: boolean } | null
export type OracleRecord = { readonly owner_id?: string | null } | null

export interface OracleAnswer { readonly effect: 'allow' | 'deny'; readonly rule: string }

/** R1 to R7, top to bottom; the first match decides. A suspended user is treated as an absent one. */
export const oracle = (user: OracleUser, action: string, record: OracleRecord): OracleAnswer => {
  const absent = user === null || user.suspended === true
  const owns = !absent && typeof user.id === 'string' && user.id !== '' && record?.owner_id === user.id
  if (action === 'link:read') return { effect: 'allow', rule: 'R1' }
  if (absent) return { effect: 'deny', rule: 'R2' }
  if (user.role === 'admin') return { effect: 'allow', rule: 'R3' }
  if (action === 'link:create') return { effect: 'allow', rule: 'R4' }
  if (action === 'link:update' || action === 'link:delete') return { effect: owns ? 'allow' : 'deny', rule: 'R5' }
  if (action === 'profile:read' || action === 'profile:update') return owns ? { effect: 'allow', rule: 'R7' } : { effect: 'deny', rule: 'R6' }
  return { effect: 'deny', rule: 'R6' }
}

/** May the role call an endpoint of the action at all, with the default rows? */
export const oracleEndpoint = (user: OracleUser, action: string): boolean => {
  if (action === 'link:read') return true
  if (user === null || user.suspended === true) return false
  return user.role === 'admin' || ['link:create', 'link:update', 'link:delete', 'profile:read', 'profile:update'].includes(action)
}
