import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'
import { preflightHeaders } from './cors.js'
import { respond } from './respond.js'

/** The methods of RFC 9110 and RFC 5789. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '),
)

/** For requests without a route: 501 for an unknown method, 405 with `Allow` for a known path, otherwise 404. */
export const refuseUnrouted = (
  ctx: Context & { readonly matched?: readonly { readonly methods: readonly string[] }[] },
): void => {
  if (!KNOWN_METHODS.has(ctx.method)) throw new Refusal('not_implemented')
  const allowed = [...new Set(ctx.matched?.flatMap(({ methods }) => methods))].sort()
  if (allowed.length === 0) throw new Refusal('no_route')
  const allow = { Allow: [...allowed, 'OPTIONS'].join(', ') }
  if (ctx.method !== 'OPTIONS') throw new Refusal('method_not_allowed', { headers: allow })
  respond(ctx, { status: 204, headers: { ...allow, ...preflightHeaders(ctx, allow.Allow) } })
}
