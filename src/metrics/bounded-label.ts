/**
 * Bounds a label's cardinality: the first `max` distinct values are kept, every later one becomes `other`. For labels
 * from policy rows, which admins may edit without limit, while Prometheus keeps a series for every value it ever saw.
 */
export const boundedLabel = (max: number): ((value: string) => string) => {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= max) return 'other'
    known.add(value)
    return value
  }
}
