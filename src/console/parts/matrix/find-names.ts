/** What somebody wants to see of a matrix. */
export interface MatrixView {
  /** words that names of roles or actions contain */
  readonly find: string
  /** roles that stand first, whatever is searched for */
  readonly pinned: readonly string[]
  /** the one role that a phone shows; null: the first */
  readonly role: string | null
}

export const WHOLE: MatrixView = { find: '', pinned: [], role: null }

/** So many roles are looked at without a search. */
export const MOST_AT_ONCE = 8

/**
 * Roles and actions that a search leaves. A word that names some roles leaves those, one that names some actions leaves
 * those; a word that names neither leaves nothing.
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
