import type { DecisionRecord } from '../domain/decision-record.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import { boundedLabel } from './bounded-label.js'
import type { MetricsIn } from './metrics-in.js'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** How many rules get a label of their own. */
const MAX_RULES = 200

/** The metrics of requests and of what was decided about them. */
export const requestMetrics = ({ counter, histogram }: MetricsIn) => {
  const requests = histogram(
    'linkgate_http_request_duration_seconds',
    'Requests by method, route and status, until the answer was sent',
    BUCKETS,
    ['method', 'route', 'status'],
  )
  const refusals = counter(
    'linkgate_refusals_total',
    'Refused requests by the layer that refused and the stable code',
    ['layer', 'code'],
  )
  const decisions = counter('linkgate_decisions_total', 'Decisions by effect, rule and layer', [
    'effect',
    'rule',
    'layer',
  ])
  const disagreements = counter(
    'linkgate_layer_disagreements_total',
    'Requests that the data layer refused though the layers before it let them through',
  )
  const ruleLabel = boundedLabel(MAX_RULES)

  return {
    /** Observes one finished request, refused or not. `route` is a pattern, so callers cannot invent labels. */
    observeRequest: ({ method, route, status, seconds, refusal }: FinishedRequest): void => {
      requests.observe({ method, route, status }, seconds)
      if (refusal !== undefined) refusals.inc({ layer: refusal.layer, code: refusal.code })
    },
    /** Counts one decision, by effect, rule (or the refusal's code) and layer. */
    countDecision: ({ effect, rule, layer }: Pick<DecisionRecord, 'effect' | 'rule' | 'layer'>): void =>
      decisions.inc({ effect, rule: ruleLabel(rule), layer }),
    /** Counts a request that the data layer refused although the layers before it allowed it. */
    countDisagreement: (): void => disagreements.inc(),
  }
}
