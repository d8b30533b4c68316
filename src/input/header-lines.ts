/**
 * The values of all header lines with this lower-case name. Node's `headers` keeps only the first line of some headers.
 */
export const headerLines = (rawHeaders: readonly string[], name: string): readonly string[] => {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [sent = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]]
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(value)
  }
  return values
}
