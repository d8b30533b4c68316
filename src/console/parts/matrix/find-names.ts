/** The selection of a matrix that the user wants to see. */
export interface MatrixView {
  /** search words for names of roles or actions */
  readonly find: string
  /** roles that come first, whatever is searched for */
  readonly pinned: readonly string[]
  /** the one role that a phone shows; null: the first */
  readonly role: string | null
}

export const WHOLE: MatrixView = { find: '', pinned: [], role: null }

/** With more roles than this, a search is offered. */
export const MOST_AT_ONCE = 8

/**
 * The roles and actions that match a search. A word that matches roles keeps those, one that matches actions keeps
 * those; a word that matches neither leaves nothing.
 */
export const findNames = (
  roles: readonly string[],
  actions: readonly string[],
  { find, pinned }: MatrixView,
): { readonly roles: readonly string[]; readonly actions: readonly string[] } => {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = (names: readonly string[], word: string) => names.filter((name) => name.includes(word))
  if (words.some((word) => matching([...roles, ...actions], word).length === 0)) return { roles: [], actions: [] }
  const left = (names: readonly string[]): readonly string[] => {
    const found = new Set(words.flatMap((word) => matching(names, word)))
    return found.size === 0 ? names : names.filter((name) => found.has(name))
  }
  const first = roles.filter((role) => pinned.includes(role))
  return { roles: [...first, ...left(roles).filter((role) => !first.includes(role))], actions: left(actions) }
}
