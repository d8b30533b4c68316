import { open, type FileHandle } from 'node:fs/promises'

import { errorCode } from '../domain/thrown.js'
import { UnreadableFile, HEAD_BYTES, headOf, isJson, textDecoder, type Source } from './source.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'

/**
 * Opens a file as CSV (with commas, semicolons or tabs) or JSON, depending on its first character, runs `work`, and
 * closes it. The text is UTF-8, with or without a byte order mark. `read` is called with the number of bytes read so
 * far. Throws UnreadableFile; `records` throws it too, after the records that could be read.
 */
export const withSource = async <T>(
  file: string,
  read: (bytes: number) => void,
  work: (source: Source) => Promise<T>,
): Promise<T> => {
  const handle = await open(file).catch((error: unknown) => {
    throw new UnreadableFile(`the system cannot read it (${errorCode(error)})`, { cause: error })
  })
  try {
    const head = await readHead(handle)
    const text = textOf(handle, read)
    return await work(isJson(head) ? readJson(text) : await readCsv(text, head))
  } finally {
    await handle.close()
  }
}

const readHead = async (handle: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  return headOf(buffer.subarray(0, bytesRead))
}

/** The text in pieces. */
const textOf = async function* (handle: FileHandle, read: (bytes: number) => void): AsyncGenerator<string> {
  const decode = textDecoder()
  let total = 0
  for await (const bytes of handle.createReadStream({ start: 0, autoClose: false })) {
    if (!Buffer.isBuffer(bytes)) throw new TypeError('a file is read as bytes')
    total += bytes.length
    read(total)
    yield decode(bytes)
  }
  yield decode()
}
