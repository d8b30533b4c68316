import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

import type { Effect } from '../domain/policy-row.js'
import type { PolicyStatus } from '../policy/current.js'

/** What the service counts, for Prometheus. Names and labels are part of the outside contract: dashboards depend on them. */
export interface Metrics {
  /** one decision: by its effect, the rule that decided (or the refusal's code), and the layer */
  readonly countDecision: (decision: { readonly effect: Effect; readonly rule: string; readonly layer: string }) => void
  /** one answered request; `route` is the path's pattern, so that no caller can invent labels */
  readonly observeRequest: (request: { readonly method: string; readonly route: string; readonly status: number; readonly seconds: number }) => void
  /** the text exposition format */
  readonly text: () => Promise<string>
  readonly contentType: string
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export const createMetrics = (policyStatus: () => PolicyStatus): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const decisions = new Counter({ name: 'linkgate_decisions_total', help: 'Decisions by effect, rule and layer', labelNames: ['effect', 'rule', 'layer'], registers })
  const requests = new Histogram({ name: 'linkgate_http_request_duration_seconds', help: 'Answered requests by method, route and status', labelNames: ['method', 'route', 'status'], buckets: BUCKETS, registers })
  registry.registerMetric(new Gauge({
    name: 'linkgate_policy_revision', help: 'Policy revision in force in this process', registers: [],
    collect() { this.set(policyStatus().revision ?? 0) },
  }))
  registry.registerMetric(new Gauge({
    name: 'linkgate_policy_load_failed', help: '1 while the newest revision could not be loaded and the last good one is in force', registers: [],
    collect() { this.set(policyStatus().fault === null ? 0 : 1) },
  }))
  return {
    countDecision: ({ effect, rule, layer }) => decisions.inc({ effect, rule, layer }),
    observeRequest: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
