import type { DecisionRecord } from '../domain/decision-record.js'
import type { Relation } from '../domain/decision.js'
import type { EndpointExplanation, Explanation } from '../policy/explanation.js'
import { explain } from '../policy/explanation.js'
import type { Snapshot } from '../policy/snapshot.js'

export type Recorded = Pick<
  DecisionRecord,
  'layer' | 'subject_role' | 'action' | 'relation' | 'effect' | 'rule' | 'row_priority'
>

/** What no policy row decided: the gateway's refusals, and what a route refuses beyond the rows. */
export interface CodeExplanation {
  readonly layer: string
  readonly code: string
  readonly why: string
}

/** The endpoint's refusal. The record was never looked up, so nothing is said of it. */
export interface LayerExplanation extends Pick<Explanation, 'revision' | 'role' | 'inherits' | 'action' | 'effect'> {
  readonly layer: 'endpoint'
  readonly endpoint: EndpointExplanation
}

/**
 * `agrees`: the rows of that revision still give what was recorded. They would not if model.conf had been changed
 * since.
 */
export type RecordExplanation = CodeExplanation | ((Explanation | LayerExplanation) & { readonly agrees: boolean })

const isRelation = (text: string): text is Relation => text === 'anonymous' || text === 'own' || text === 'other'

/**
 * Why a recorded decision fell as it did, under the snapshot of the revision it was made under; null where the rows are
 * not to be had.
 */
export const explainRecord = (record: Recorded, snapshot: Snapshot | null): RecordExplanation | null => {
  const { layer, rule: code, action } = record
  if (layer !== 'endpoint' && layer !== 'object') return { layer, code, why: whyAtGateway(code, action) }
  if (layer === 'object' && code === 'policy_denied')
    return {
      layer,
      code,
      why: "the rows allow it; refused because it would give or take a role that may do what the caller's own may not",
    }
  if (snapshot === null || !isRelation(record.relation)) return null
  const explanation = explain(snapshot, record.subject_role, action, record.relation)
  if (layer === 'object') {
    const { effect, rule, row } = explanation.object
    return {
      ...explanation,
      agrees:
        explanation.layer === 'object' &&
        effect === record.effect &&
        rule === record.rule &&
        (row?.priority ?? null) === record.row_priority,
    }
  }
  const { revision, role, inherits, endpoint } = explanation
  return {
    layer,
    revision,
    role,
    inherits,
    action,
    effect: endpoint.effect,
    endpoint,
    agrees: endpoint.effect === record.effect,
  }
}

const whyAtGateway = (code: string, action: string): string => {
  switch (code) {
    case 'token_required':
      return `no token was sent; it takes one with the scope ${action}`
    case 'invalid_token':
      return 'the token that was sent is not valid: expired, ended or revoked, not of this service, or of a user who is suspended or gone'
    case 'insufficient_scope':
      return `the token lacks the scope ${action}`
    default:
      return 'refused before the policy was asked'
  }
}
