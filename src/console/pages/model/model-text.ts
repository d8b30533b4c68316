/** One definition of a model: `m = ...`, with the comment above it. */
export interface Definition {
  readonly section: string
  readonly key: string
  readonly value: string
  readonly comments: readonly string[]
}

/** Parses a Casbin model like Casbin does. The definitions of each section are in order. */
export const readModel = (text: string) => {
  /** the comment before the first section */
  const head: string[] = []
  const definitions: Definition[] = []
  let section = ''
  let comments: string[] = []
  let begun = ''
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim()
    if (begun === '' && /^[#;]/.test(trimmed)) {
      ;(section === '' ? head : comments).push(trimmed.replace(/^[#;]\s?/, ''))
      continue
    }
    if (/^\[.+\]$/.test(trimmed)) {
      section = trimmed.slice(1, -1)
      comments = []
      continue
    }
    // a line that ends with a backslash continues
    begun += trimmed.replace(/\\$/, '')
    if (trimmed.endsWith('\\') || begun === '') continue
    const at = begun.indexOf('=')
    if (at > 0)
      definitions.push({ section, key: begun.slice(0, at).trim(), value: begun.slice(at + 1).trim(), comments })
    begun = ''
    comments = []
  }
  return { head, definitions }
}
