/** One record of the file. */
export interface SourceRecord {
  /** where it stands, for a message: `12` (the line) or `link 12` */
  readonly place: string
  /** its texts by the names of their columns (`columnName`) */
  readonly cells: ReadonlyMap<string, string>
  /** its cells or its object, to be written again where it was refused */
  readonly original: readonly string[] | object
  /** why it cannot be read, where it cannot */
  readonly fault?: string
}

/** How a CSV is written beside its cells. */
export interface CsvDialect {
  readonly delimiter: string
  /** whether it begins with a byte order mark, without which some spreadsheets take UTF-8 for something else */
  readonly bom: boolean
}

/** A file that is read from its beginning to its end, in memory that does not grow with it. */
export interface Source {
  /** the columns of a CSV as the file names them; null for JSON */
  readonly columns: readonly string[] | null
  /** null for JSON */
  readonly dialect: CsvDialect | null
  readonly records: AsyncIterable<SourceRecord>
}
