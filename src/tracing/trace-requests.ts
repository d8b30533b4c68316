import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions'
import type { Middleware } from 'koa'

import { describeFinished } from '../http/finished-request.js'
import { refusalAttributes } from './failure.js'
import type { Tracer } from './tracer.js'

/**
 * A span of every request, by OpenTelemetry's conventions for HTTP servers, but without `url.path`, `url.query`,
 * `client.address` and `user_agent.original`: a path may hold a token, and the rest is the caller's own. It ends when
 * the answer was sent. A caller's `traceparent` is honoured (docs/metrics.md says why).
 */
export const traceRequests =
  (tracer: Tracer): Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    const span = tracer.start('request', {
      kind: 'server',
      caller: ctx.headers,
      attributes: { [ATTR_URL_SCHEME]: ctx.protocol, 'linkgate.request_id': ctx.state.requestId },
    })
    ctx.state.traceId = span.traceId
    ctx.res.once('close', () => {
      const { method, route, status, refusal, decision, revision, userId, aborted } = describeFinished(
        ctx,
        (performance.now() - began) / 1_000,
      )
      const known = route !== 'none'
      // the conventions' name for a method that is not known
      const verb = method === 'other' ? '_OTHER' : method
      span.rename(known ? `${verb} ${route}` : verb)
      span.set({
        [ATTR_HTTP_REQUEST_METHOD]: verb,
        [ATTR_HTTP_ROUTE]: known ? route : undefined,
        [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
        'linkgate.policy.revision': revision,
        'user.id': userId,
        'linkgate.aborted': aborted || undefined,
        'linkgate.effect': decision?.effect,
        'linkgate.rule': decision?.rule,
        ...(refusal === undefined ? {} : refusalAttributes(refusal)),
      })
      if (status >= 500) span.fail(refusal?.code ?? String(status))
      span.end()
    })
    await tracer.run(span, next)
  }
