import type { Deadline } from '../domain/deadline.js'
import type { Who } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import { isUserRole } from '../domain/role.js'
import type { User } from '../domain/user.js'
import type { Snapshot } from './snapshot.js'
import { universeOf } from './table.js'

/**
 * Who may do this to a record of this owner (null: it has no owner): each role named by a row that may do it to
 * anybody's record, and the owner if their role lets them do it only to their own. This means that the endpoint rows
 * let the role in and `can()` allows the action. Throws `deadline_exceeded`.
 */
export const whoMay = async (
  snapshot: Snapshot,
  action: string,
  owner: User | null,
  deadline?: Deadline,
): Promise<readonly Who[]> => {
  const pause = pauseEvery(200, deadline)
  const found: Who[] = []
  if (owner !== null && !owner.suspended && snapshot.mayCall(owner.role, action)) {
    const { effect, rule } = snapshot.decideFor(owner.role, action, 'own')
    const isForAny = snapshot.decideFor(owner.role, action, 'other').effect === 'allow'
    if (effect === 'allow' && !isForAny) found.push({ who: 'owner', rule })
  }
  for (const role of universeOf(snapshot.rows).roles.filter(isUserRole)) {
    await pause()
    const { effect, rule } = snapshot.decideFor(role, action, 'other')
    if (effect === 'allow' && snapshot.mayCall(role, action)) found.push({ who: 'role', role, rule })
  }
  return found
}
