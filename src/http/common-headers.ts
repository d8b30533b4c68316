import { randomUUID } from 'node:crypto'

import type { Context, Next } from 'koa'

import { headerOf } from '../input/header-lines.js'
import { AnswerHeaders } from './answer-headers.js'
import { securityHeaders } from './security-headers.js'

/** A caller's own id is kept where it can do no harm in a log or a header; every other request gets one. */
export const HARMLESS_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * What every response has: the security headers and an `X-Request-ID`. Problem bodies, logs and decision records carry
 * the same id.
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
