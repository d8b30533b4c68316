const { compare } = new Intl.Collator(undefined, { numeric: true })

/** Names in the order in which people look for them: `team2` before `team10`. */
export const inOrder = (names: readonly string[]): readonly string[] => names.toSorted(compare)
