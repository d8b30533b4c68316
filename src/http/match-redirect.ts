import type { Context, Next } from 'koa'

/** The path of a code that needs no decoding. */
const PLAIN_CODE = /^\/([A-Za-z0-9_-]{1,64})$/

/**
 * Matches the path that is asked for most, `/{code}`, with one regular expression before the router tries that of every
 * route. `follow` is what the router calls as well; `taken` are the service's own paths of one segment.
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
