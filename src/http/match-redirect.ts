import type { Context, Next } from 'koa'

/** A path with a code that needs no decoding. */
const PLAIN_CODE = /^\/([A-Za-z0-9_-]{1,64})$/

/**
 * A fast path for `/{code}`, the most requested path: one regular expression, before the router tries those of all
 * routes. `follow` is the handler that the router would call. `taken`: the service's own paths.
 */
export const matchRedirect =
  (follow: (ctx: Context) => Promise<void>, taken: ReadonlySet<string>) =>
  (ctx: Context, next: Next): Promise<void> => {
    const { method } = ctx.req
    if (method !== 'GET' && method !== 'HEAD') return next()
    const [path, code] = PLAIN_CODE.exec(ctx.path) ?? []
    if (path === undefined || taken.has(path)) return next()
    ctx.params = { code }
    return follow(ctx)
  }
