import type { Decision } from '../../domain/decision.js'
import type { Owned } from '../../domain/link.js'
import { Refusal } from '../../domain/refusal.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { Caller, ObjectRule } from '../route.js'

/**
 * The third layer: loads the record, then asks `can(user, action, record)`. In that order: a record that does not exist
 * is 404 before the policy is asked (section 4 of the specification), then 403 `policy_denied` with the rule that
 * decided.
 */
export const requirePermission = async <Params, Record extends Owned | null>(
  snapshot: Snapshot,
  caller: Caller,
  rule: ObjectRule<Params, Record>,
  params: Params,
): Promise<{ readonly record: Record; readonly decision: Decision }> => {
  const record = await rule.load(params, caller)
  if (record === null && rule.without !== true) throw new Refusal('not_found')
  const decision = snapshot.decide(caller.user, rule.action, record)
  if (decision.effect !== 'allow') {
    throw new Refusal('policy_denied', {
      detail: `${decision.rule} denies ${rule.action} to the role ${decision.role} on ${WHOSE[decision.relation]}.`,
      extensions: { rule: decision.rule },
      decision,
    })
  }
  // null is left for rules without a record alone, and the type of their record is null
  return { record: record as Record, decision }
}

const WHOSE = { anonymous: 'this record', own: 'their own record', other: 'a record that is not theirs' } as const
