import type { Context, Next } from 'koa'

/** `/{code}%2B` asks for what `/{code}+` does: some programs encode the plus when they pass an address on. */
export const plainPlus = (ctx: Context, next: Next): Promise<void> => {
  if (/%2B$/i.test(ctx.path)) ctx.path = ctx.path.replace(/%2B$/i, '+')
  return next()
}
