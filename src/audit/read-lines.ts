/** The most bytes in a line. Entries are far smaller, and the file must not determine how much memory is used. */
const MOST_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a

/** The lines of a file, each with its newline; the last one may have none. Throws RangeError if a line is too long. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at + 1)])
      parts = []
      bytes = 0
      from = at + 1
    }
    bytes += chunk.length - from
    if (bytes > MOST_BYTES) throw new RangeError(`a line has more than ${MOST_BYTES} bytes`)
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}
