import type { Context, Next } from 'koa'

import { Refusal } from '../domain/refusal.js'

/** Koa throws at a target that it cannot parse, such as `http://%@x/`, and finds no path in `http://`. */
const hasPath = (ctx: Context): boolean => {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}

/** Refuses (400) a request whose target has no path, before anything reads it. */
export const requirePath = (ctx: Context, next: Next): Promise<void> => {
  if (!hasPath(ctx)) throw new Refusal('invalid_request', { detail: 'The request target cannot be read.' })
  return next()
}
