import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'
import type { Gateway } from '../layers/layers.js'
import type { GatewayRule } from '../layers/rules.js'
import { preflightHeaders } from './cors.js'
import { patternsOf, type Matched } from './patterns-of.js'
import { respond } from './respond.js'

/** The methods of RFC 9110 and RFC 5789. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '),
)

/** A request without a route passes the gateway like one to a public route. */
const UNROUTED: GatewayRule = { scope: 'public', quota: 'caller' }

/**
 * Refuses requests without a route: 501 for an unknown method, 405 with `Allow` for a known path, otherwise 404. They
 * count against the rate limit like all others, except `OPTIONS` of a known path, which browsers send without a token.
 * The path of a page (one of the patterns in `pages`) with a slash appended is redirected to the page (308).
 */
export const refuseUnrouted =
  (gateway: Pick<Gateway, 'admit' | 'identify'>, pages: readonly RegExp[]) =>
  async (ctx: Context & { readonly matched?: readonly Matched[] }): Promise<void> => {
    const allowed = [...new Set(patternsOf(ctx.path, ctx.matched).flatMap(({ methods }) => methods))].sort()
    const allow = { Allow: [...allowed, 'OPTIONS'].join(', ') }
    if (ctx.method === 'OPTIONS' && allowed.length > 0)
      return respond(ctx, { status: 204, headers: { ...allow, ...preflightHeaders(ctx, allow.Allow) } })
    await gateway.identify(ctx, await gateway.admit(ctx, UNROUTED), UNROUTED)
    if (!KNOWN_METHODS.has(ctx.method)) throw new Refusal('not_implemented')
    const page = ctx.path.replace(/\/$/, '')
    if ((ctx.method === 'GET' || ctx.method === 'HEAD') && pages.some((pattern) => pattern.test(page)))
      return respond(ctx, { status: 308, headers: { Location: `${page}${ctx.search}` } })
    if (allowed.length === 0) throw new Refusal('no_route')
    throw new Refusal('method_not_allowed', { headers: allow })
  }
