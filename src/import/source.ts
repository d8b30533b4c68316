import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

import { UnreadableFile } from './unreadable-file.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import type { Source } from './source-record.js'

const HEAD_BYTES = 65_536

/**
 * Opens a file as CSV (with commas, semicolons or tabs) or JSON, as its first sign says, runs `work`, and closes it.
 * The text is UTF-8, with or without a byte order mark. `read` is told of how many bytes were read. Throws
 * UnreadableFile; `records` throws it too, after the records that could be read.
 */
export const withSource = async <T>(
  file: string,
  read: (bytes: number) => void,
  work: (source: Source) => Promise<T>,
): Promise<T> => {
  const handle = await open(file).catch((error: unknown) => {
    throw new UnreadableFile(`there is no file ${file} that can be read`, { cause: error })
  })
  try {
    const head = await headOf(handle)
    const text = textOf(handle, read)
    return await work(/^\s*[[{]/.test(head) ? readJson(text) : await readCsv(text, head))
  } finally {
    await handle.close()
  }
}

/** The beginning of the file, to tell what it is. */
const headOf = async (handle: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  if (head[0] === 0xff || head[0] === 0xfe || head.includes(0))
    throw new UnreadableFile('it is no text in UTF-8: save it as “CSV UTF-8”')
  const text = head.toString().replace(/^\ufeff/, '')
  if (text.trim() === '') throw new UnreadableFile('it is empty')
  return text
}

/** The text in pieces. A byte that is not UTF-8 ends it: guessing an encoding would store wrong letters. */
const textOf = async function* (handle: FileHandle, read: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch (error) {
      throw new UnreadableFile('a character is not UTF-8: save the file as “CSV UTF-8”', { cause: error })
    }
  }
  let total = 0
  for await (const bytes of handle.createReadStream({ start: 0, autoClose: false })) {
    if (!Buffer.isBuffer(bytes)) throw new TypeError('a file is read as bytes')
    total += bytes.length
    read(total)
    yield decode(bytes)
  }
  yield decode()
}
