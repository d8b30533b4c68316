import { createScanner } from 'jsonc-parser'

/**
 * What parseStrictJson answers: the value, or the first fault that matters. `path` names a duplicate member, such as
 * `add.0.role`.
 */
export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: 'malformed' | 'depth' }
  | { readonly ok: false; readonly fault: 'duplicate'; readonly path: string }

// Values of jsonc-parser's SyntaxKind: an ambient const enum, which isolated modules cannot read.
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  string: 10,
  lineComment: 12,
  blockComment: 13,
  unknown: 16,
  end: 17,
} as const

/** One object or array that is open: where it stands, and for an object the names seen in it. */
interface Open {
  readonly names: Set<string> | null
  at: string | number
  expectsName: boolean
}

/**
 * Parses JSON (RFC 8259) and refuses what two readers could read in two ways: a name twice in one object at any level,
 * compared after unescaping, and nesting over `maxDepth` levels (a scalar has 0, `{}` has 1). Iterative: depth costs no
 * stack. A text with several faults is `depth` before `malformed` before `duplicate`.
 * `__proto__` comes out as an ordinary own member, which no prototype hears of; schemas refuse it as an unknown field.
 */
export const parseStrictJson = (text: string, { maxDepth }: { readonly maxDepth: number }): StrictJson => {
  const walked = walk(text, maxDepth)
  if (walked.fault === 'depth' || walked.fault === 'malformed') return { ok: false, fault: walked.fault }
  // The engine's own parser is the judge of the grammar; it meets only text whose depth is known to be small.
  const parsed = parse(text)
  if (parsed === null) return { ok: false, fault: 'malformed' }
  if (walked.duplicate !== undefined) return { ok: false, fault: 'duplicate', path: walked.duplicate }
  return { ok: true, value: parsed.value }
}

const parse = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

interface Walked {
  readonly fault?: 'depth' | 'malformed'
  readonly duplicate?: string | undefined
}

const walk = (text: string, maxDepth: number): Walked => {
  const scanner = createScanner(text, false)
  const stack: Open[] = []
  let duplicate: string | undefined
  for (let token: number = scanner.scan(); token !== TOKEN.end; token = scanner.scan()) {
    const open = stack.at(-1)
    switch (token) {
      case TOKEN.openBrace:
      case TOKEN.openBracket: {
        if (stack.length >= maxDepth) return { fault: 'depth' }
        const isObject = token === TOKEN.openBrace
        stack.push({ names: isObject ? new Set() : null, at: isObject ? '' : 0, expectsName: isObject })
        break
      }
      case TOKEN.closeBrace:
      case TOKEN.closeBracket:
        stack.pop()
        break
      case TOKEN.comma:
        if (typeof open?.at === 'number') open.at += 1
        if (open?.names) open.expectsName = true
        break
      case TOKEN.string: {
        if (!open?.names || !open.expectsName) break
        const name = scanner.getTokenValue()
        open.expectsName = false
        open.at = name
        if (open.names.has(name)) duplicate ??= stack.map(({ at }) => at).join('.')
        open.names.add(name)
        break
      }
      case TOKEN.lineComment:
      case TOKEN.blockComment:
      case TOKEN.unknown:
        return { fault: 'malformed' }
    }
  }
  return { duplicate }
}
