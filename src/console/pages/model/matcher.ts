/** The values of a matcher's names, and which role has the rows of which. */
export interface Given {
  /** such as `r.sub.role` */
  readonly names: Readonly<Record<string, string>>
  readonly inherits: (role: string, other: string) => boolean
}

export interface Step {
  readonly text: string
  /** with values instead of names; null for a compound expression */
  readonly filled: string | null
  /** null: not evaluated, because an earlier part decides */
  readonly value: boolean | null
  readonly parts: readonly Step[]
}

type Node =
  | { readonly is: 'chain'; readonly isOr: boolean; readonly text: string; readonly parts: readonly Node[] }
  | { readonly is: 'not'; readonly text: string; readonly part: Node }
  | { readonly is: 'compare'; readonly text: string; readonly not: boolean; readonly sides: readonly [string, string] }
  | { readonly is: 'g'; readonly text: string; readonly sides: readonly [string, string] }

const TOKEN = /\s*("[^"]*"|[a-z]\w*(?:\.[a-z_]\w*)*|==|!=|&&|\|\||[(),!])/iy

/** Throws SyntaxError for anything that parseModel would refuse at the start of the service. */
const tokensOf = (text: string): readonly { readonly text: string; readonly end: number }[] => {
  const tokens: { text: string; end: number }[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex
    const [, token] = TOKEN.exec(text) ?? []
    if (token === undefined) throw new SyntaxError(`not an expression: ${text.slice(from)}`)
    tokens.push({ text: token, end: TOKEN.lastIndex })
  }
  return tokens
}

const parse = (text: string): Node => {
  const tokens = tokensOf(text)
  let at = 0
  const peek = (): string => tokens[at]?.text ?? ''
  const take = (expected?: string): string => {
    const token = peek()
    if (token === '' || (expected !== undefined && token !== expected))
      throw new SyntaxError(`${expected ?? 'a name'} is expected, not ${token || 'the end'}`)
    at += 1
    return token
  }
  /** the text from a token to the last that was read */
  const since = (from: number): string => text.slice(tokens[from - 1]?.end ?? 0, tokens[at - 1]?.end).trim()
  const term = (): string => {
    const token = take()
    if (!/^["a-z]/i.test(token)) throw new SyntaxError(`a name is expected, not ${token}`)
    return token
  }
  const atom = (): Node => {
    const from = at
    if (peek() === '!') {
      take()
      const part = atom()
      return { is: 'not', text: since(from), part }
    }
    if (peek() === '(') {
      take()
      const inner = either()
      take(')')
      return inner
    }
    if (peek() === 'g' && tokens[at + 1]?.text === '(') {
      take()
      take('(')
      const first = term()
      take(',')
      const second = term()
      take(')')
      return { is: 'g', text: since(from), sides: [first, second] }
    }
    const left = term()
    const sign = take()
    if (sign !== '==' && sign !== '!=') throw new SyntaxError(`a comparison is expected, not ${sign}`)
    const right = term()
    return { is: 'compare', text: since(from), not: sign === '!=', sides: [left, right] }
  }
  const chain = (isOr: boolean, sign: string, next: () => Node) => (): Node => {
    const from = at
    const first = next()
    const parts = [first]
    while (peek() === sign) {
      take()
      parts.push(next())
    }
    return parts.length === 1 ? first : { is: 'chain', isOr, text: since(from), parts }
  }
  const both = chain(false, '&&', atom)
  const either = chain(true, '||', both)
  const node = either()
  if (at < tokens.length) throw new SyntaxError(`the end is expected, not ${peek()}`)
  return node
}

const walk = (node: Node, given: Given, isLookedAt: boolean): Step => {
  const value = (name: string): string => (name.startsWith('"') ? name.slice(1, -1) : (given.names[name] ?? ''))
  const quoted = (name: string): string => `"${value(name)}"`
  const { text } = node
  if (node.is === 'chain') {
    const { isOr: decisive } = node
    let found: boolean | null = null
    const parts = node.parts.map((part) => {
      const step = walk(part, given, isLookedAt && found === null)
      if (step.value === decisive) found = decisive
      return step
    })
    return { text, filled: null, value: isLookedAt ? (found ?? !decisive) : null, parts }
  }
  if (node.is === 'not') {
    const part = walk(node.part, given, isLookedAt)
    return { text, filled: null, value: part.value === null ? null : !part.value, parts: [part] }
  }
  const [left, right] = node.sides
  if (node.is === 'g') {
    const filled = `g(${quoted(left)}, ${quoted(right)})`
    const isMet = value(left) === value(right) || given.inherits(value(left), value(right))
    return { text, filled, value: isLookedAt ? isMet : null, parts: [] }
  }
  const filled = `${quoted(left)} ${node.not ? '!=' : '=='} ${quoted(right)}`
  return { text, filled, value: isLookedAt ? (value(left) === value(right)) !== node.not : null, parts: [] }
}

/** Evaluates a matcher step by step, like Casbin: from the left, and no further than needed. Throws SyntaxError. */
export const walkMatcher = (matcher: string, given: Given): Step => walk(parse(matcher), given, true)
