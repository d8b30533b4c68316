import { Refusal } from '../../domain/refusal.js'
import { mayGrant } from '../../policy/table.js'
import type { DataContext } from '../route.js'

/**
 * Refuses (403 `policy_denied`) to give out, or to touch the holder of, a role that may do what the caller's own may
 * not. Roles are given through the stores of users and invitations alone, so this holds for every route.
 */
export const requireGrantable = ({ snapshot, caller }: DataContext, role: string): void => {
  const own = caller.user?.role ?? 'anonymous'
  if (caller.user !== null && mayGrant(snapshot, own, role)) return
  throw new Refusal('policy_denied', {
    detail: `The role ${role} may do what the role ${own} may not, so it is not theirs to give.`,
  })
}
