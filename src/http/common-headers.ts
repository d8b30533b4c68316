import { randomUUID } from 'node:crypto'

import type { Context, Next } from 'koa'

import { REQUEST_ID } from '../domain/request-id.js'
import { headerOf } from '../input/header-lines.js'
import { AnswerHeaders } from './answer-headers.js'
import { securityHeaders } from './security-headers.js'

/**
 * Sets the headers of every response: the security headers and `X-Request-ID`. Problem bodies, logs and decision
 * records carry the same id: the caller's own if it is safe there, otherwise a new one.
 */
export const commonHeaders = (secure: boolean) => {
  const common = securityHeaders(secure)
  return (ctx: Context, next: Next): Promise<void> => {
    const given = headerOf(ctx, 'x-request-id')
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID()
    ctx.state.requestId = requestId
    ctx.state.headers = new AnswerHeaders(common)
    ctx.state.headers.set('X-Request-ID', requestId)
    return next()
  }
}
