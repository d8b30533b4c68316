import type { Context, Next } from 'koa'

import { Refusal } from '../domain/refusal.js'

/** A host, with or without a port. */
export const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** RFC 9112 §3.2: a request with two Host headers, or one that names no host, is refused (400): two readers could differ about it. */
export const requireOneHost = async (ctx: Context, next: Next): Promise<void> => {
  const names = ctx.req.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (names.length !== 1 || !HOST.test(ctx.get('Host'))) throw new Refusal('invalid_request', { detail: 'Exactly one valid Host header is required.' })
  await next()
}
