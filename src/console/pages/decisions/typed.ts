import { qualifierOf, readQuery } from './meaning.js'
import { parseQuery, type Term } from './query.js'
import { suggest, type KnownValues, type Suggestion } from './suggestions.js'

/** The text in a search field, not yet part of the search. */
interface Typed {
  /** its first term; null: nothing is typed */
  readonly term: Term | null
  /** the term can be searched for as it is */
  readonly isWhole: boolean
  /** it has a qualifier that does not exist */
  readonly isUnknown: boolean
  readonly suggestions: readonly Suggestion[]
  /** the suggestion that Enter takes if none was chosen; null: Enter searches for the text */
  readonly preselected: Suggestion | null
}

/** Reads the text of a search field; `terms` are those already in the search. */
export const readTyped = (text: string, terms: readonly Term[], known: KnownValues): Typed => {
  const [term = null] = parseQuery(text)
  const suggestions = suggest(text, terms, known)
  const isWhole = term !== null && readQuery([term], Date.now()).faults[0] === null
  const isUnknown = term !== null && term.name !== null && qualifierOf(term.name) === undefined
  const [first = null] = suggestions
  const preselected = (): Suggestion | null => {
    if (text.trim() === '' || isWhole) return null
    // a word may mean many things: only the qualifier that it begins is preselected
    return term?.name === null && first?.isWhole === true ? null : first
  }
  return { term, isWhole, isUnknown, suggestions, preselected: preselected() }
}
