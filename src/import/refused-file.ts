import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

import { refusedText } from './refused-text.js'
import type { Source, SourceRecord } from './source-record.js'

/** The refused records, as they were read, with the reasons. */
export interface RefusedFile {
  add(record: SourceRecord, reason: string): Promise<void>
  close(): Promise<void>
}

/** `source`: where the records come from. The file is created with the first one, readable only by the current user. */
export const createRefusedFile = (file: string, source: Pick<Source, 'columns' | 'dialect'>): RefusedFile => {
  const { head, line } = refusedText(source)
  let handle: FileHandle | undefined
  const openFile = async (): Promise<FileHandle> => {
    const made = await open(file, 'w', 0o600)
    await made.write(head)
    return made
  }
  return {
    add: async (record, reason) => {
      handle ??= await openFile()
      await handle.write(line(record, reason))
    },
    close: async () => {
      await handle?.close()
    },
  }
}
