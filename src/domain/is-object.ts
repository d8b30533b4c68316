/** Narrows parsed JSON to an object with unknown members. An array is not one. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
