import type { Context, Next } from 'koa'

import type { CorsOrigins } from '../config.js'

/** What a caller may send, and read, beside what browsers allow by themselves. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Policy-At-Least',
  'X-Request-ID',
].join(', ')
const RESPONSE_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'Policy-Revision',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-ID',
].join(', ')
/** Seconds for which a browser asks no second time. */
const REMEMBERED = '600'

/**
 * Cross-origin requests (Fetch §3.2). Credentials are never allowed: what proves a caller is a header that their
 * program sends, and no cookie that a browser adds. A preflight needs no token; which methods it allows is what the
 * route table answered to OPTIONS, so it lets nobody do, or learn, what they could not without it.
 */
export const cors = (origins: CorsOrigins) => {
  const allowed = origins === 'any' ? null : new Set(origins)
  return async (ctx: Context, next: Next): Promise<void> => {
    const origin = ctx.get('Origin')
    const isAllowed = origin !== '' && (allowed === null || allowed.has(origin))
    if (isAllowed) {
      ctx.set('Access-Control-Allow-Origin', allowed === null ? '*' : origin)
      ctx.set('Access-Control-Expose-Headers', RESPONSE_HEADERS)
    }
    try {
      await next()
    } finally {
      // after the answer's own Vary, on refusals too: a cache must not give one origin's answer to another
      if (allowed !== null) ctx.vary('Origin')
    }
    if (isAllowed && ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.remove('Access-Control-Expose-Headers')
      ctx.set({
        'Access-Control-Allow-Methods': ctx.response.get('Allow'),
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': REMEMBERED,
      })
    }
  }
}
