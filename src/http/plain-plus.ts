import type { Context, Next } from 'koa'

/** Treats `/{code}%2B` as `/{code}+`: some programs encode the plus when they pass a URL on. */
export const plainPlus = (ctx: Context, next: Next): Promise<void> => {
  if (/%2B$/i.test(ctx.path)) ctx.path = ctx.path.replace(/%2B$/i, '+')
  return next()
}
