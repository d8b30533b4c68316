import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'

/** RFC 9457 problem details as this service writes them. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly code: string
  readonly request_id: string
}

/**
 * Writes a refusal as `application/problem+json`: the one place where an error becomes a response. Nobody keeps it: a
 * cache may keep a 404 that says nothing by a rule of its own (RFC 9110 §15.5.5), and a link that is made afterwards
 * would be missing there.
 */
export const writeProblem = (ctx: Context, refusal: Refusal): void => {
  ctx.status = refusal.status
  ctx.set({ 'Cache-Control': 'no-store', ...refusal.headers })
  ctx.body = JSON.stringify({
    ...refusal.extensions,
    type: `urn:linkgate:problem:${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    code: refusal.code,
    request_id: ctx.state.requestId,
    ...(refusal.errors === undefined ? {} : { errors: refusal.errors }),
  })
  ctx.type = 'application/problem+json'
}
