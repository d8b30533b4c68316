import { readFile } from 'node:fs/promises'

import { errorCode } from '../domain/thrown.js'
import { UsageError } from './errors.js'

const WHY = new Map([
  ['ENOENT', 'there is no file'],
  ['EISDIR', 'a folder is no file:'],
  ['EACCES', 'this user may not read'],
])

/** The text of a file that the command line names. Throws a UsageError naming a file that cannot be read. */
export const readTextFile = async (file: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  return textOf(bytes, file)
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes as UTF-8 text, without a byte order mark. Throws a UsageError naming `source` if they are not. */
export const textOf = (bytes: Uint8Array, source: string): string => {
  try {
    return UTF_8.decode(bytes)
  } catch {
    throw new UsageError(`${source} is not UTF-8 text`)
  }
}

/** A UsageError that says why the system cannot read a file; every other error unchanged. */
export const unreadable = (file: string, error: unknown): unknown => {
  const code = errorCode(error)
  return code === undefined ? error : new UsageError(`${WHY.get(code) ?? `${code}: the system cannot read`} ${file}`)
}
