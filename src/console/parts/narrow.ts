/** A text in parsed JSON; null for anything else. */
export const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The name that a value is; undefined if it is none of them. */
export const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value)
