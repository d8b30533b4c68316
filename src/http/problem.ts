import type { Context } from 'koa'

import type { Refusal } from '../domain/refusal.js'
import { respond } from './respond.js'

/** A refusal as problem details (RFC 9457). */
export const problemOf = ({ extensions, code, title, status, detail, errors }: Refusal, requestId: string): object => ({
  ...extensions,
  type: `urn:linkgate:problem:${code}`,
  title,
  status,
  detail,
  code,
  request_id: requestId,
  errors,
})

/**
 * Answers with problem details. They are not cached: caches may keep a 404 (RFC 9110 §15.5.5) and serve it after the
 * link was created.
 */
export const writeProblem = (ctx: Context, refusal: Refusal): void => {
  // a body that nobody will read any more: the connection ends with the answer
  if (refusal.code === 'deadline_exceeded' && !ctx.req.complete) ctx.state.headers.set('Connection', 'close')
  respond(ctx, {
    status: refusal.status,
    headers: { 'Cache-Control': 'no-store', ...refusal.headers },
    type: 'application/problem+json',
    body: problemOf(refusal, ctx.state.requestId),
  })
}
