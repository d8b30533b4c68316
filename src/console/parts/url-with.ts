type Value = string | number | null | undefined

/** A URL with those of the parameters that have a value; one with several values is repeated. */
export const urlWith = (path: string, params: Readonly<Record<string, Value | readonly string[]>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    for (const each of [value ?? ''].flat()) if (each !== '') query.append(name, String(each))
  return query.size === 0 ? path : `${path}?${query}`
}
