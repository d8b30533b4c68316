import type { Context, Next } from 'koa'

import type { CorsOrigins } from '../config.js'
import { headerOf } from '../input/header-lines.js'

/** Headers that scripts may send and read, beside those that browsers always allow. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Policy-At-Least, X-Request-ID'
const RESPONSE_HEADERS =
  'Content-Disposition, ETag, Idempotent-Replayed, Location, Model-SHA256, Policy-Revision, RateLimit, ' +
  'RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID'
/** How long browsers cache a preflight, in seconds. */
const MAX_AGE = '600'

/**
 * CORS (Fetch §3.2). Credentials are never allowed: callers authenticate with a header, not with a cookie. A preflight
 * needs no token.
 */
export const cors = (origins: CorsOrigins) => {
  const allowed = origins === 'any' ? null : new Set(origins)
  return (ctx: Context, next: Next): Promise<void> => {
    const origin = headerOf(ctx, 'origin')
    const { headers } = ctx.state
    // on every answer, so that caches do not serve one origin's answer to another
    if (allowed !== null) headers.set('Vary', 'Origin')
    if (origin !== undefined && (allowed === null || allowed.has(origin))) {
      headers.set('Access-Control-Allow-Origin', allowed === null ? '*' : origin)
      if (!isPreflight(ctx)) headers.set('Access-Control-Expose-Headers', RESPONSE_HEADERS)
    }
    return next()
  }
}

const isPreflight = (ctx: Context): boolean =>
  ctx.method === 'OPTIONS' && headerOf(ctx, 'access-control-request-method') !== undefined

/** Extra headers for the answer to a preflight; none if the origin is not allowed. `methods`: those of the path. */
export const preflightHeaders = (ctx: Context, methods: string): Readonly<Record<string, string>> =>
  isPreflight(ctx) && ctx.state.headers.get('Access-Control-Allow-Origin') !== undefined
    ? {
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': MAX_AGE,
      }
    : {}
