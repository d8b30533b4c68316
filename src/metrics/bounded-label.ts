/**
 * Keeps a label's values few: the first `most` distinct ones are themselves, every later one is `other`. For labels
 * that come from rows, which an admin may edit as often as they like: Prometheus keeps a series for each value that it
 * ever saw.
 */
export const boundedLabel = (most: number): ((value: string) => string) => {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= most) return 'other'
    known.add(value)
    return value
  }
}
