/** A pattern that matched the path, as @koa/router reports it. */
export interface Matched {
  readonly path: string | RegExp
  readonly methods: readonly string[]
}

/**
 * The patterns that apply to a path. The service's own paths (`/healthz`, or the preview at `/{code}+`) are never taken
 * for a code, whatever the method.
 */
export const patternsOf = (path: string, matched: readonly Matched[] = []): readonly Matched[] => {
  const own = matched.filter(({ path: pattern }) => pattern === path || String(pattern).endsWith('+'))
  return own.length > 0 ? own : matched
}
