import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

import { formatCsv } from '../policy/csv.js'
import type { SourceRecord } from './source-record.js'
import { columnName } from './words.js'

const REASON = 'reason'

/** The records that were not taken, as they were read, and why: importable again once they are mended. */
export interface RefusedFile {
  add(record: SourceRecord, reason: string): Promise<void>
  close(): Promise<void>
}

/** `columns`: those of a CSV; null: NDJSON. The file is made with the first record, for its maker alone to read. */
export const createRefusedFile = (file: string, columns: readonly string[] | null): RefusedFile => {
  const keeps = (at: number): boolean => columnName(columns?.[at] ?? '') !== REASON
  let handle: FileHandle | undefined
  const openFile = async (): Promise<FileHandle> => {
    const made = await open(file, 'w', 0o600)
    if (columns !== null) await made.write(formatCsv([[...columns.filter((_, at) => keeps(at)), REASON]]))
    return made
  }
  return {
    add: async ({ original }, reason) => {
      handle ??= await openFile()
      const isRow = Array.isArray(original)
      await handle.write(
        isRow
          ? formatCsv([[...original.filter((_, at) => keeps(at)), reason]])
          : `${JSON.stringify({ ...original, [REASON]: reason })}\n`,
      )
    },
    close: async () => {
      await handle?.close()
    },
  }
}
