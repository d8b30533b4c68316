/** What a search consists of: `user:eve@example.com`, or a word that says nothing of what it is (`name` is null). */
export interface Term {
  readonly name: string | null
  readonly value: string
}

/** `name:value`, `name:"a value"`, or a word; in quotes a backslash keeps what follows it. */
const TERM = /(?:([^\s:"]+):)?(?:"((?:[^"\\]|\\.)*)"?|(\S*))/gsuy

/** Reads a search. Every text is one; an empty word is none. */
export const parseQuery = (text: string): readonly Term[] => {
  const terms: Term[] = []
  let at = 0
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (at >= text.length) return terms
    TERM.lastIndex = at
    const [whole = '', name, quoted, bare = ''] = TERM.exec(text) ?? []
    // what cannot be read is a word of one character; the pattern leaves none
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

/** As it stands in an address, and as somebody would type it. */
export const formatQuery = (terms: readonly Term[]): string => terms.map(formatTerm).join(' ')

/** With these terms, each in the place of the one of its name. */
export const withTerms = (terms: readonly Term[], added: readonly Term[]): readonly Term[] => {
  const all = [...terms]
  for (const term of added) {
    const at = term.name === null ? -1 : all.findIndex(({ name }) => name === term.name)
    if (at < 0) all.push(term)
    else all[at] = term
  }
  return all
}
