/** A term of a search: `user:eve@example.com`, or a word without a qualifier (`name` is null). */
export interface Term {
  readonly name: string | null
  readonly value: string
}

/** `name:value`, `name:"a value"`, or a word; within quotes, a backslash escapes the next character. */
const TERM = /(?:([^\s:"]+):)?(?:"((?:[^"\\]|\\.)*)"?|(\S*))/gsuy

/** Parses a search. Every text is valid; empty words are ignored. */
export const parseQuery = (text: string): readonly Term[] => {
  const terms: Term[] = []
  let at = 0
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (at >= text.length) return terms
    TERM.lastIndex = at
    const [whole = '', name, quoted, bare = ''] = TERM.exec(text) ?? []
    // an unparsable part would be a word of one character; the pattern leaves none
    at += Math.max(1, whole.length)
    const value = quoted === undefined ? bare : quoted.replaceAll(/\\(.)/gsu, '$1')
    if (name !== undefined || value !== '') terms.push({ name: name?.toLowerCase() ?? null, value })
  }
}

const LOOKS_NAMED = /^[^\s:"]+:/u

export const formatTerm = ({ name, value }: Term): string => {
  const isBare = !/^"|\s/u.test(value) && (name !== null || !LOOKS_NAMED.test(value))
  const written = isBare ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  return name === null ? written : `${name}:${written}`
}

/** The search as text, in the URL and as typed. */
export const formatQuery = (terms: readonly Term[]): string => terms.map(formatTerm).join(' ')

/** Adds these terms, each replacing the one with its name. */
export const withTerms = (terms: readonly Term[], added: readonly Term[]): readonly Term[] => {
  const all = [...terms]
  for (const term of added) {
    const at = term.name === null ? -1 : all.findIndex(({ name }) => name === term.name)
    if (at < 0) all.push(term)
    else all[at] = term
  }
  return all
}
