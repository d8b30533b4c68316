import type { Action } from '../../domain/action.js'
import type { Decision } from '../../domain/decision.js'
import type { Owned } from '../../domain/link.js'
import { Refusal } from '../../domain/refusal.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { Caller } from '../caller.js'

/**
 * The third layer: calls `can(user, action, record)`. A missing record is 404 without asking the policy (section 4 of
 * the specification). A denied one is 403 `policy_denied`, with the rule that decided.
 */
export const requirePermission = <Record extends Owned>(
  snapshot: Snapshot,
  { user }: Caller,
  action: Action,
  record: Record | null,
): { readonly record: Record; readonly decision: Decision } => {
  if (record === null) throw new Refusal('not_found')
  const decision = snapshot.decide(user, action, record)
  if (!snapshot.can(user, action, record)) {
    throw new Refusal('policy_denied', {
      detail: `${decision.rule} denies ${action} to the role ${decision.role} on ${WHOSE[decision.relation]}.`,
      extensions: { rule: decision.rule },
      decision,
    })
  }
  return { record, decision }
}

const WHOSE = { anonymous: 'this record', own: 'their own record', other: 'a record that is not theirs' } as const
