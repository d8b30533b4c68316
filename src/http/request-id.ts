import { randomUUID } from 'node:crypto'

import type { Context, Next } from 'koa'

/** A caller's own id is kept where it can do no harm in a log or a header; every other request gets one. */
export const HARMLESS_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Every response has an `X-Request-ID`; problem bodies, logs and decision records carry the same. */
export const requestId = (ctx: Context, next: Next): Promise<void> => {
  const given = ctx.get('X-Request-ID')
  ctx.state.requestId = HARMLESS_ID.test(given) ? given : randomUUID()
  ctx.res.setHeader('X-Request-ID', ctx.state.requestId)
  return next()
}
