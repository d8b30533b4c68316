import type { Context, Next } from 'koa'

import type { CorsOrigins } from '../config.js'

/** Headers that callers may send and read, beside those that browsers always allow. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Policy-At-Least, X-Request-ID'
const RESPONSE_HEADERS =
  'ETag, Idempotent-Replayed, Location, Policy-Revision, RateLimit, ' +
  'RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID'
/** Seconds for which a browser caches a preflight. */
const MAX_AGE = '600'

/**
 * Cross-origin requests (Fetch §3.2). Never with credentials: callers authenticate with a header, not with a cookie. A
 * preflight needs no token; the methods it allows come from the route table's answer to OPTIONS.
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
      // after the answer's own Vary, on refusals too: caches must not mix the answers for two origins
      if (allowed !== null) ctx.vary('Origin')
    }
    if (isAllowed && ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.remove('Access-Control-Expose-Headers')
      ctx.set({
        'Access-Control-Allow-Methods': ctx.response.get('Allow'),
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': MAX_AGE,
      })
    }
  }
}
