import { Readable } from 'node:stream'

import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'

/** Closes what an answer holds that nobody will read. */
export const discard = ({ body }: Answer): void => {
  if (body instanceof Readable) body.destroy()
}

/** Writes a route's answer. A body is JSON unless the answer names another type. */
export const respond = (ctx: Context, { status, body, headers, type }: Answer): void => {
  ctx.status = status
  if (headers) ctx.set({ ...headers })
  if (body instanceof Readable) ctx.body = body
  else if (body !== undefined) ctx.body = typeof body === 'string' ? body : JSON.stringify(body)
  else ctx.body = null
  // koa drops the status of an empty body, and guesses the type of a text
  ctx.status = status
  if (body !== undefined) ctx.type = type ?? 'application/json'
  // RFC 9110 §13.1.2: what the caller already holds is not sent again
  if (status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD') && headers?.['ETag'] !== undefined && ctx.fresh) {
    ctx.status = 304
    ctx.body = null
  }
}
