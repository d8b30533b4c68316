import { statSync } from 'node:fs'
import { open, realpath, rm, type FileHandle } from 'node:fs/promises'

import { refusedText } from './refused-text.js'
import type { Source, SourceRecord } from './source.js'

/**
 * The refused records, as they were read, with the reasons. An error of writing does not end the import. `source`:
 * where the records come from; `mapped`: its mapped columns. The file is created with the first record. Only the
 * current user can read it, also if it existed before. Throws if that cannot be, or if it cannot be written. If it is
 * only to be created, and another program creates it before the first record, that is an error of writing.
 */
export const createRefusedFile = async (
  file: string,
  source: Pick<Source, 'columns' | 'dialect'>,
  mapped: ReadonlySet<string>,
  how: 'overwrite' | 'create',
) => {
  const { head, line } = refusedText(source, mapped)
  let handle: FileHandle | undefined
  let fault: unknown
  const keepFault = (error: unknown): void => {
    fault ??= error
  }
  const write = async (text: string): Promise<void> => {
    if (handle === undefined) {
      handle = await open(file, how === 'create' ? 'wx' : 'w', 0o600)
      await handle.appendFile(head)
    }
    await handle.appendFile(text)
  }
  await checkWritable(file, how)
  return {
    add: async (record: SourceRecord, reason: string): Promise<void> => {
      // after a line that may be half written, another one would be joined to it
      if (fault === undefined) await write(line(record, reason)).catch(keepFault)
    },
    /** Resolves with the error because of which records are missing; undefined if none are. */
    close: async (): Promise<unknown> => {
      await handle?.close().catch(keepFault)
      return fault
    },
  }
}

export type RefusedFile = Awaited<ReturnType<typeof createRefusedFile>>

/** Opens the file for writing, and leaves it as it was, except that others can no longer read it. */
const checkWritable = async (file: string, how: 'overwrite' | 'create'): Promise<void> => {
  const known = statSync(file, { throwIfNoEntry: false })
  // closing a pipe would end its reader
  if (known?.isFIFO()) return
  const handle = await open(file, how === 'create' ? 'wx' : 'a', 0o600)
  try {
    // a file that exists keeps its mode when it is opened, and a device must keep it
    if (known?.isFile()) await handle.chmod(0o600)
  } finally {
    await handle.close()
  }
  // the file that a symbolic link names, and not the link
  if (known === undefined) await rm(await realpath(file))
}
