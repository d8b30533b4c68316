/**
 * The values of all header lines of that name (in lower case), as they were sent. Of some headers node keeps the first
 * line in `headers` and drops the rest, which only the raw ones tell.
 */
export const headerLines = (rawHeaders: readonly string[], name: string): readonly string[] => {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [sent = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]]
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(value)
  }
  return values
}
