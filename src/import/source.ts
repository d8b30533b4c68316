export interface SourceRecord {
  /** its place in the file, for a message: `12` (the line) or `link 12` */
  readonly place: string
  /** its texts by column name (`columnName`) */
  readonly cells: ReadonlyMap<string, string>
  /** its cells or its object, to be written out again if it is refused */
  readonly original: readonly string[] | object
  /** set if it cannot be read: the reason */
  readonly fault?: string
}

/** How a CSV separates its cells and begins. */
export interface CsvDialect {
  readonly delimiter: string
  /** whether it begins with a byte order mark, without which some spreadsheets misread UTF-8 */
  readonly bom: boolean
}

/** A file that is read sequentially, in constant memory. */
export interface Source {
  /** the columns of a CSV as the file names them; null for JSON */
  readonly columns: readonly string[] | null
  /** null for JSON */
  readonly dialect: CsvDialect | null
  readonly records: AsyncIterable<SourceRecord>
}

/** A file, or the rest of one from a line on, that cannot be read at all. */
export class UnreadableFile extends Error {}

/** How many bytes are read to detect the type of a file. */
export const HEAD_BYTES = 65_536

/** The beginning of a file as text, with its byte order mark. Throws UnreadableFile if it is not UTF-8 text. */
export const headOf = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff || bytes[0] === 0xfe || bytes.includes(0))
    throw new UnreadableFile('it is not UTF-8 text: save it as “CSV UTF-8”')
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (text.trim() === '') throw new UnreadableFile('it is empty')
  return text
}

export const isJson = (head: string): boolean => /^\s*[[{]/.test(head)

/**
 * Decodes bytes in pieces; call it without any at the end. Throws UnreadableFile for a byte that is not UTF-8, because
 * guessing an encoding would store wrong letters.
 */
export const textDecoder = (): ((bytes?: Uint8Array) => string) => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (bytes) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch (error) {
      throw new UnreadableFile('a character is not UTF-8: save the file as “CSV UTF-8”', { cause: error })
    }
  }
}
