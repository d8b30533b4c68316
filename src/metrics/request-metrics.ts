import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'

import type { DecisionRecord } from '../domain/decision-record.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import { boundedLabel } from './bounded-label.js'
import { createHistogram } from './histogram.js'

export interface RequestMetrics {
  /** one decision: by its effect, the rule that decided (or the refusal's code), and the layer */
  readonly countDecision: (decision: Pick<DecisionRecord, 'effect' | 'rule' | 'layer'>) => void
  /** one request that is over, refused ones too; `route` is the path's pattern, so that no caller can invent labels */
  readonly observeRequest: (request: FinishedRequest) => void
  /** the data layer refused what the layers before it had let through */
  readonly countDisagreement: () => void
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const MOST_RULES = 200

export const requestMetrics = (registry: Registry): RequestMetrics => {
  const registers = [registry]
  const decisions = new Counter({
    name: 'linkgate_decisions_total',
    help: 'Decisions by effect, rule and layer',
    labelNames: ['effect', 'rule', 'layer'],
    registers,
  })
  const refusals = new Counter({
    name: 'linkgate_refusals_total',
    help: 'Refused requests by the layer that refused and the stable code',
    labelNames: ['layer', 'code'],
    registers,
  })
  const disagreements = new Counter({
    name: 'linkgate_layer_disagreements_total',
    help: 'Requests that the data layer refused though the layers before it let them through',
    registers,
  })
  const requests = createHistogram({
    name: 'linkgate_http_request_duration_seconds',
    help: 'Requests by method, route and status, until the answer was sent',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  })
  const ruleLabel = boundedLabel(MOST_RULES)
  return {
    countDecision: ({ effect, rule, layer }) => decisions.inc({ effect, rule: ruleLabel(rule), layer }),
    observeRequest: ({ method, route, status, seconds, refusal }) => {
      requests.observe(seconds, method, route, status)
      if (refusal !== undefined) refusals.inc({ layer: refusal.layer, code: refusal.code })
    },
    countDisagreement: () => disagreements.inc(),
  }
}
