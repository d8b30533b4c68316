import { SpanKind } from '@opentelemetry/api'
import type { Middleware } from 'koa'

import { describeFinished } from '../http/finished-request.js'
import { refusalAttributes, setFailed, type Tracer } from './tracer.js'

/**
 * A span for each request, ended when the response closes. It follows OpenTelemetry's conventions for HTTP servers, but
 * omits `url.path`, `url.query`, `client.address` and `user_agent.original`: a path may contain a token, and the others
 * are private. docs/metrics.md says why a caller's `traceparent` is honoured.
 */
export const traceRequests =
  (tracer: Tracer): Middleware =>
  async (ctx, next) => {
    const span = tracer.startRequest(ctx.get('traceparent'), {
      kind: SpanKind.SERVER,
      attributes: { 'url.scheme': ctx.protocol, 'linkgate.request_id': ctx.state.requestId },
    })
    ctx.state.traceId = span.spanContext().traceId
    ctx.res.once('close', () => {
      const { method, route, status, refusal, decision, revision, userId, aborted } = describeFinished(ctx)
      const verb = method === 'other' ? '_OTHER' : method
      span.updateName(route === 'none' ? verb : `${verb} ${route}`)
      span.setAttributes({
        'http.request.method': verb,
        'http.route': route === 'none' ? undefined : route,
        'http.response.status_code': status,
        'linkgate.policy.revision': revision,
        'user.id': userId,
        'linkgate.aborted': aborted || undefined,
        'linkgate.effect': decision?.effect,
        'linkgate.rule': decision?.rule,
        ...(refusal && refusalAttributes(refusal)),
      })
      if (status >= 500) setFailed(span, refusal?.code ?? String(status))
      span.end()
    })
    await tracer.run(span, next)
  }
