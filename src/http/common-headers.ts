import { randomUUID } from 'node:crypto'

import type { Context, Next } from 'koa'

import { headerOf } from '../input/header-lines.js'
import { AnswerHeaders } from './answer-headers.js'
import { securityHeaders } from './security-headers.js'

/** A caller's own request id is used if it is safe in logs and headers. Every other request gets a new one. */
export const HARMLESS_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Sets the headers of every response: the security headers and `X-Request-ID`. Problem bodies, logs and decision
 * records carry the same id.
 */
export const commonHeaders = (secure: boolean) => {
  const common = securityHeaders(secure)
  return (ctx: Context, next: Next): Promise<void> => {
    const given = headerOf(ctx, 'x-request-id')
    const requestId = given !== undefined && HARMLESS_ID.test(given) ? given : randomUUID()
    ctx.state.requestId = requestId
    ctx.state.headers = new AnswerHeaders(common)
    ctx.state.headers.set('X-Request-ID', requestId)
    return next()
  }
}
