import { Refusal } from '../../domain/refusal.js'
import type { Action } from '../../domain/action.js'
import { roleOf, type Snapshot } from '../../policy/snapshot.js'
import type { Caller } from '../caller.js'

/** The second layer: refuses (403 `role_not_allowed`) a caller whose role has no endpoint row for the action. */
export const requireRole = (snapshot: Snapshot, { user }: Caller, action: Action): void => {
  const role = roleOf(user)
  if (!snapshot.mayCall(role, action)) {
    throw new Refusal('role_not_allowed', { detail: `No row of the policy lets the role ${role} do ${action}.` })
  }
}
