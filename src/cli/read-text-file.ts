import { readFile } from 'node:fs/promises'

import { errorCode } from '../domain/thrown.js'
import { UsageError } from './errors.js'

const WHY = new Map([
  ['ENOENT', 'there is no file'],
  ['EISDIR', 'a folder is no file:'],
  ['EACCES', 'this user may not read'],
])

/** The text of a file that the command line names. Throws a UsageError naming a file that cannot be read. */
export const readTextFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error)
  })

/** A UsageError that says why the system cannot read a file; every other error unchanged. */
export const unreadable = (file: string, error: unknown): unknown => {
  const code = errorCode(error)
  return code === undefined ? error : new UsageError(`${WHY.get(code) ?? `${code}: the system cannot read`} ${file}`)
}
