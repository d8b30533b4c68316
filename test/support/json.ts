/** What stands at a path of a JSON value; undefined where nothing does. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown => {
  let here: unknown = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined
    here = Object.entries(here).find(([name]) => name === String(step))?.[1]
  }
  return here
}

/** The list at a path. Throws where there is none. */
export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const list = at(value, ...path)
  if (!Array.isArray(list)) throw new Error(`no list at ${path.join('.')} of ${JSON.stringify(value)}`)
  return list
}

/** The text at a path. Throws where there is none. */
export const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const text = at(value, ...path)
  if (typeof text !== 'string') throw new Error(`no text at ${path.join('.')} of ${JSON.stringify(value)}`)
  return text
}
