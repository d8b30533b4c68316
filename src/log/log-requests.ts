import type { Logger } from 'pino'

import type { FinishedRequest } from '../domain/finished-request.js'
import { networkOf } from '../domain/network.js'

/** Asked every few seconds by programs: nobody wants to read them. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * One line a request, when it is over (docs/metrics.md): info; debug for probes; warn where the service failed. Never a
 * path, a query, a header or a body: any of them may hold a token.
 */
export const logRequests =
  (log: Logger) =>
  (request: FinishedRequest): void => {
    const { status, route } = request
    const level = status >= 500 ? 'warn' : PROBES.has(route) ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const { requestId, method, seconds, bytes, aborted, refusal, decision, revision, userId, address, link, traceId } =
      request
    // pino leaves out what is undefined
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
        trace_id: traceId,
      },
      'request',
    )
  }
