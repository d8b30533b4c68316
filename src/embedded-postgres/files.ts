import { open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The system's code of an error (ENOENT, EACCES …) or a SQLSTATE; undefined where the error carries none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Resolves to `otherwise` where a file or folder does not exist. Every other error passes. */
export const unlessMissing = async <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> => {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return otherwise
    throw error
  }
}

/** Makes the renames in a folder survive a power failure. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a file as a whole: after a crash it has either the old content or the new. */
export const writeDurably = async (file: string, text: string, mode: number): Promise<void> => {
  await writeFile(`${file}.new`, text, { mode, flush: true })
  await rename(`${file}.new`, file)
  await syncFolder(dirname(file))
}
