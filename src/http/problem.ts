import type { Context } from 'koa'

import type { Refusal } from '../domain/refusal.js'

/**
 * Writes a refusal as problem details (RFC 9457). It is not cached: caches may keep a 404 (RFC 9110 §15.5.5) and serve
 * it after the link was created.
 */
export const writeProblem = (ctx: Context, refusal: Refusal): void => {
  ctx.status = refusal.status
  ctx.set({ 'Cache-Control': 'no-store', ...refusal.headers })
  ctx.body = JSON.stringify({
    ...refusal.extensions,
    type: `urn:linkgate:problem:${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    detail: refusal.detail,
    code: refusal.code,
    request_id: ctx.state.requestId,
    errors: refusal.errors,
  })
  ctx.type = 'application/problem+json'
}
