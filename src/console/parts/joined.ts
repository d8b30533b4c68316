/** What an item is known by; one without an id by itself. */
const nameOf = (item: object): unknown => ('id' in item ? item.id : item)

/**
 * Two parts of a list, each item once: one that was just made is in front, and comes again with the page on which its
 * order puts it.
 */
export const joined = <Item extends object>(items: readonly Item[], more: readonly Item[]): readonly Item[] => {
  const known = new Set(items.map(nameOf))
  return [...items, ...more.filter((item) => !known.has(nameOf(item)))]
}

/** The list, with newer versions of its items in their places. Those that are not in it are ignored. */
export const replaced = <Item extends object>(items: readonly Item[], newer: readonly Item[]): readonly Item[] => {
  const byName = new Map(newer.map((item) => [nameOf(item), item]))
  return items.map((item) => byName.get(nameOf(item)) ?? item)
}
