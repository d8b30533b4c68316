import { Refusal } from '../../domain/refusal.js'
import { mayGrant } from '../../policy/table.js'
import type { DataContext } from '../rules.js'

/**
 * Throws 403 `policy_denied` if a role has rights that the caller's own role does not have: the caller may neither
 * grant it nor change a user who has it. Roles are only granted through the stores of users and invitations, which both
 * call this, so it holds for every route.
 */
export const requireGrantable = async ({ snapshot, caller, deadline }: DataContext, role: string): Promise<void> => {
  const own = caller.user?.role ?? 'anonymous'
  if (caller.user !== null && (await mayGrant(snapshot, own, role, deadline))) return
  throw new Refusal('policy_denied', {
    detail: `The role ${role} may do what the role ${own} may not, so ${own} neither gives it nor changes who has it.`,
  })
}
