/** A pattern that a path has matched, as @koa/router tells it. */
export interface Matched {
  readonly path: string | RegExp
  readonly methods: readonly string[]
}

/**
 * The patterns whose routes a path has. What is the service's own, `/healthz` or the preview at `/{code}+`, is that
 * alone, and no code, whatever the method.
 */
export const patternsOf = (path: string, matched: readonly Matched[] = []): readonly Matched[] => {
  const own = matched.filter(({ path: pattern }) => pattern === path || String(pattern).endsWith('+'))
  return own.length > 0 ? own : matched
}
