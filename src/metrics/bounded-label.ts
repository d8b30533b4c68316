/**
 * Bounds the values of a label: the first `max` distinct ones are kept, every later one is `other`. For labels that
 * come from policy rows, which an admin may edit as often as they like: Prometheus keeps a series for each value that
 * it ever saw.
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
