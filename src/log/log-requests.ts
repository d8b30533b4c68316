import type { Logger } from 'pino'

import type { FinishedRequest } from '../domain/finished-request.js'
import { networkOf } from '../domain/network.js'
import type { Refusal } from '../domain/refusal.js'

/** Monitoring requests these every few seconds. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Why a token is not valid: for whoever sets up an issuer; its sender is not told. Quotes nothing from the token. */
const reasonOf = (refusal: Refusal | undefined): string | undefined =>
  refusal?.code === 'invalid_token' && refusal.cause instanceof Error ? refusal.cause.message : undefined

/**
 * Logs one line per finished request (docs/metrics.md): info, debug for probes, warn for 5xx. Never a path, query,
 * header or body: any of them may contain a token.
 */
export const logRequests =
  (log: Logger) =>
  (request: FinishedRequest): void => {
    const { requestId, method, route, status, seconds, bytes, aborted } = request
    const { refusal, decision, revision, userId, address, link, traceId } = request
    const level = status >= 500 ? 'warn' : PROBES.has(route) ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    // pino omits what is undefined
    log[level](
      {
        request_id: requestId,
        method,
        route,
        status,
        duration_ms: Math.round(seconds * 1e6) / 1e3,
        bytes,
        aborted: aborted || undefined,
        user_id: userId,
        network: networkOf(address),
        link,
        revision,
        rule: decision?.rule,
        layer: refusal?.layer,
        code: refusal?.code,
        reason: reasonOf(refusal),
        trace_id: traceId,
      },
      'request',
    )
  }
