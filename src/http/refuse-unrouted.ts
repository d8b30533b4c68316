import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'

/** Methods that HTTP itself defines (RFC 9110, RFC 5789): another method is one that we do not know at all. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
])

/**
 * What no route took: 501 for an unknown method, 405 with `Allow` where the path is ours, 404 where it is not. OPTIONS
 * answers `Allow`.
 */
export const refuseUnrouted = (
  ctx: Context & { readonly matched?: readonly { readonly methods: readonly string[] }[] },
): void => {
  if (!KNOWN_METHODS.has(ctx.method)) throw new Refusal('not_implemented')
  const allowed = [...new Set(ctx.matched?.flatMap(({ methods }) => methods))].sort()
  if (allowed.length === 0) throw new Refusal('no_route')
  const allow = { Allow: [...allowed, 'OPTIONS'].join(', ') }
  if (ctx.method !== 'OPTIONS') throw new Refusal('method_not_allowed', { headers: allow })
  ctx.set(allow)
  ctx.status = 204
}
