import type { Context } from 'koa'

/**
 * The values of all header lines with this lower-case name. Node's `headers` keeps only the first line of some headers.
 */
export const headerLines = (rawHeaders: readonly string[], name: string): readonly string[] => {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]
    if (sent?.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '')
  }
  return values
}

/**
 * A precondition header (`If-Match`), by its lower-case name; undefined if it is missing. An empty one is kept, and
 * nothing satisfies it: a program whose variable was not set must not change anything.
 */
export const demandOf = ({ req }: Pick<Context, 'req'>, name: string): string | undefined => {
  const value = req.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A request's header by its lower-case name; undefined if it is missing or empty. */
export const headerOf = ({ req }: Pick<Context, 'req'>, name: string): string | undefined => {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether the request came through a proxy that names the original caller. */
export const isForwarded = (ctx: Pick<Context, 'req'>): boolean =>
  (headerOf(ctx, 'x-forwarded-for') ?? headerOf(ctx, 'forwarded')) !== undefined
