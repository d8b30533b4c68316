import { open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { errorCode } from './domain/thrown.js'

/** Resolves to `otherwise` if a file or folder does not exist, nor a folder for it. Rejects with every other error. */
export const unlessMissing = async <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> => {
  try {
    return await work
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return otherwise
    throw error
  }
}

/** The error codes of systems that cannot sync a folder; PostgreSQL ignores the same ones. */
const NO_FOLDERS: ReadonlySet<string | undefined> = new Set(['EISDIR', 'EACCES', 'EPERM', 'EBADF', 'EINVAL'])

/** Makes new names in a folder survive a power failure, on systems that can. */
export const syncFolder = async (folder: string): Promise<void> => {
  let handle
  try {
    handle = await open(folder)
    await handle.sync()
  } catch (error) {
    if (!NO_FOLDERS.has(errorCode(error))) throw error
  } finally {
    await handle?.close()
  }
}

/** Replaces a file atomically: after a crash it has either the old content or the new. */
export const writeDurably = async (file: string, text: string, mode: number): Promise<void> => {
  await writeFile(`${file}.new`, text, { mode, flush: true })
  await rename(`${file}.new`, file)
  await syncFolder(dirname(file))
}
