import { isServiceAction } from '../domain/action.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import { isRelation } from '../domain/decision.js'
import { explain, type Explanation } from '../policy/explanation.js'
import type { Snapshot } from '../policy/snapshot.js'
import { REFUSED_BY_ROUTE } from './refused-by-route.js'

type Recorded = Pick<
  DecisionRecord,
  'layer' | 'subject_role' | 'action' | 'relation' | 'effect' | 'rule' | 'row_priority'
>

/** A refusal that no policy row decided: by the gateway, or by a route after the rows allowed it. */
interface CodeExplanation {
  readonly layer: string
  readonly code: string
  readonly why: string
}

/** A refusal by the endpoint layer. The record was never loaded, so nothing is said about it. */
export type EndpointRefusal = Omit<Explanation, 'relation' | 'object'>

/** `agrees`: the rows of that revision still give the recorded answer; false if model.conf has changed since. */
export type RecordExplanation = CodeExplanation | ((Explanation | EndpointRefusal) & { readonly agrees: boolean })

/** Explains a recorded decision by the snapshot of its revision; null if that snapshot is not available. */
export const explainRecord = (record: Recorded, snapshot: Snapshot | null): RecordExplanation | null => {
  const { layer, rule: code, action } = record
  if (layer !== 'endpoint' && layer !== 'object') return { layer, code, why: whyAtGateway(code, action) }
  const byRoute = layer === 'object' ? REFUSED_BY_ROUTE.get(code) : undefined
  if (byRoute !== undefined) return { layer, code, why: `the rows allow it; refused because ${byRoute.why}` }
  if (snapshot === null || !isRelation(record.relation)) return null
  const explanation = explain(snapshot, record.subject_role, action, record.relation)
  const { object, relation: _relation, ...refusal } = explanation
  const { effect } = refusal.endpoint
  if (layer === 'endpoint') return { ...refusal, layer, effect, agrees: effect === record.effect }
  return {
    ...explanation,
    agrees:
      explanation.layer === 'object' &&
      object.effect === record.effect &&
      object.rule === record.rule &&
      (object.row?.priority ?? null) === record.row_priority,
  }
}

const whyAtGateway = (code: string, action: string): string => {
  switch (code) {
    case 'token_required':
      return isServiceAction(action)
        ? `no token was sent; it needs one with the scope ${action}`
        : 'no token was sent; it needs one with the scope of its operation'
    case 'invalid_token':
      return 'the token is not valid: expired, revoked, of another issuer, or its user is suspended or deleted'
    case 'insufficient_scope':
      return `the token lacks the scope ${action}`
    default:
      return 'refused before the policy was evaluated'
  }
}
