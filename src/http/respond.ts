import { Readable } from 'node:stream'

import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'

/** Closes what an answer holds that nobody will read. */
export const discard = ({ body }: Answer): void => {
  if (body instanceof Readable) body.destroy()
}

/** Writes a route's answer. A body is JSON unless the answer names another type. */
export const respond = (ctx: Context, { status, body, headers, type }: Answer): void => {
  for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '')
  // the type before the body: koa would guess it; the status after it: koa drops that of an empty one
  if (body !== undefined) ctx.type = type ?? 'application/json'
  if (body instanceof Readable) ctx.body = body
  else if (body !== undefined) ctx.body = typeof body === 'string' ? body : JSON.stringify(body)
  else ctx.body = null
  ctx.status = status
  const tag = headers?.['ETag']
  if (
    status === 200 &&
    tag !== undefined &&
    (ctx.method === 'GET' || ctx.method === 'HEAD') &&
    isHeld(ctx.get('If-None-Match'), tag)
  ) {
    ctx.status = 304
    ctx.body = null
  }
}

/**
 * RFC 9110 §13.1.2: what the caller already holds is not sent again. Not koa's `fresh`, which heeds a `Cache-Control:
 * no-cache` that is meant for caches on the way, and that fetch() adds to every request with a condition.
 */
const isHeld = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === tag || each === '*')
