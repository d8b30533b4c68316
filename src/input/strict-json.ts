/** The value, or the first fault. `path` names a duplicate member, such as `add.0.role`, or a list that is too long. */
type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: 'malformed' | 'depth' }
  | { readonly ok: false; readonly fault: 'duplicate' | 'length'; readonly path: string }

/** Strings (with a following colon if they are member names) and punctuation. Never backtracks. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"?(\s*:)?|[{}[\],]/g

/** An open object or array: the names seen in it, and the name or index of the current member. */
interface Open {
  readonly names: Set<string> | null
  at: string | number
}

const pathOf = (stack: readonly Open[]): string => stack.map(({ at }) => at).join('.')

/**
 * Parses JSON (RFC 8259), and refuses what two parsers could read differently: a name twice in one object, compared
 * after unescaping. It also refuses nesting over `maxDepth` levels (a scalar has 0, `{}` has 1) and lists of more than
 * `maxItems`. For a text with several faults, `depth` and `length` come before `malformed` before `duplicate`.
 * `__proto__` becomes an ordinary own member, which schemas refuse.
 */
export const parseStrictJson = (
  text: string,
  { maxDepth, maxItems = Infinity }: { readonly maxDepth: number; readonly maxItems?: number },
): StrictJson => {
  const stack: Open[] = []
  let duplicate: string | undefined
  try {
    for (const [token, colon] of text.matchAll(TOKENS)) {
      const open = stack.at(-1)
      if (token === '{' || token === '[') {
        if (stack.length >= maxDepth) return { ok: false, fault: 'depth' }
        stack.push(token === '{' ? { names: new Set(), at: '' } : { names: null, at: 0 })
      } else if (token === '}' || token === ']') stack.pop()
      else if (token === ',' && typeof open?.at === 'number') {
        open.at += 1
        if (open.at === maxItems) return { ok: false, fault: 'length', path: pathOf(stack.slice(0, -1)) }
      } else if (colon !== undefined && open?.names) {
        open.at = String(JSON.parse(token.slice(0, -colon.length)))
        if (open.names.has(open.at)) duplicate ??= pathOf(stack)
        open.names.add(open.at)
      }
    }
    // The engine's own parser checks the grammar.
    const value: unknown = JSON.parse(text)
    return duplicate === undefined ? { ok: true, value } : { ok: false, fault: 'duplicate', path: duplicate }
  } catch {
    return { ok: false, fault: 'malformed' }
  }
}
