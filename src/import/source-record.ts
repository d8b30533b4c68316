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
