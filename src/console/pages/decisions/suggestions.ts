import { QUALIFIERS, qualifierOf, readQuery, type Qualifier } from './meaning.js'
import { formatTerm, parseQuery, type Term } from './query.js'

/** A known value of a qualifier; `hint`: to whom it belongs. */
export interface Known {
  readonly value: string
  readonly hint?: string
}
export type KnownValues = Readonly<Record<Qualifier, readonly Known[]>>

export interface Suggestion {
  readonly text: string
  readonly hint?: string
  /** false: a qualifier whose value is typed next */
  readonly isWhole: boolean
}

const MOST = 8

const qualifiers = (names: readonly Qualifier[]): readonly Suggestion[] =>
  names.map((name) => ({ text: `${name}:`, isWhole: false }))

/** Terms that a word without a qualifier may mean. */
const meantBy = (word: string): readonly Suggestion[] =>
  (['user', 'link', 'rule', 'request', 'status'] as const)
    .map((name) => ({ name, value: word }))
    .filter((term) => readQuery([term], 0).faults[0] === null)
    .map((term) => ({ text: formatTerm(term), isWhole: true }))

/** Suggestions for the typed text: qualifiers first, then values. */
export const suggest = (typed: string, terms: readonly Term[], known: KnownValues): readonly Suggestion[] => {
  const [term] = parseQuery(typed)
  const unused = QUALIFIERS.filter((name) => terms.every((other) => other.name !== name))
  if (term === undefined) return qualifiers(unused)
  // actions contain a colon, too
  const isNamed = known.action.some(({ value }) => value === typed)
  const action: readonly Suggestion[] = isNamed ? [{ text: `action:${typed}`, isWhole: true }] : []
  if (term.name === null) {
    const begun = unused.filter((name) => name.startsWith(term.value.toLowerCase()))
    return begun.length > 0 ? qualifiers(begun) : meantBy(term.value)
  }
  const qualifier = qualifierOf(term.name)
  if (qualifier === undefined) return action
  const part = term.value.toLowerCase()
  const values = known[qualifier].filter(({ value, hint = '' }) => `${value} ${hint}`.toLowerCase().includes(part))
  const fitting = values.slice(0, MOST).map(({ value, hint }) => ({
    text: formatTerm({ name: qualifier, value }),
    isWhole: true,
    ...(hint !== undefined && { hint }),
  }))
  return [...fitting, ...action]
}
