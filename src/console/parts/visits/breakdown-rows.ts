/** How often a value occurred; null: unknown. */
export interface ValueCount {
  readonly value: string | null
  readonly visits: number
}

interface Rows {
  readonly rows: readonly ValueCount[]
  /** what the rows leave out; `values`: the number of values, or null if unknown */
  readonly rest: { readonly visits: number; readonly values: number | null } | null
}

/** The service's name for the rest of a long list. */
const OTHER = 'other'

/** The first values of a list, most visits first, and the sum of what follows. A rest of one value is a row itself. */
export const rowsOf = (counts: readonly ValueCount[], most: number): Rows => {
  const named = counts.filter(({ value }) => value !== OTHER)
  const others = counts.filter(({ value }) => value === OTHER)
  const shown = named.length === most + 1 && others.length === 0 ? named.length : most
  const left = named.slice(shown)
  const visits = [...left, ...others].reduce((sum, each) => sum + each.visits, 0)
  return {
    rows: named.slice(0, shown),
    rest: visits === 0 ? null : { visits, values: others.length === 0 ? left.length : null },
  }
}
