/** Narrows what was parsed from JSON to an object whose members may be anything; a list is none. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
