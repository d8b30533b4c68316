import { csvOptions, csvSource, type ParsedLine } from '../../../import/csv-source.js'
import { readJson } from '../../../import/read-json.js'
import {
  UnreadableFile,
  HEAD_BYTES,
  headOf,
  isJson,
  textDecoder,
  type CsvDialect,
  type Source,
  type SourceRecord,
} from '../../../import/source.js'

/** A page holds the whole file in memory; the command line does not. */
export const MOST_FILE_BYTES = 16 * 1_024 * 1_024

export interface ReadFile {
  readonly name: string
  /** the columns of a CSV, as the file names them; null: JSON */
  readonly columns: readonly string[] | null
  /** null: JSON */
  readonly dialect: CsvDialect | null
  readonly records: readonly SourceRecord[]
  /** why the rest could not be read; null if all of it was */
  readonly fault: string | null
}

/** The script that reads such files could not be loaded. */
export class NotLoaded extends Error {}

/** Throws UnreadableFile if nothing of the file can be read, and NotLoaded. */
export const readFile = async (file: File): Promise<ReadFile> => {
  const bytes = new Uint8Array(await contentOf(file))
  const head = headOf(bytes.subarray(0, HEAD_BYTES))
  const decode = textDecoder()
  const text = decode(bytes) + decode()
  const { columns, dialect, records } = isJson(head) ? readJson(inOnePiece(text)) : await readCsv(text, head)
  const read: SourceRecord[] = []
  let fault: string | null = null
  try {
    for await (const record of records) read.push(record)
  } catch (error) {
    if (!(error instanceof UnreadableFile) || read.length === 0) throw error
    fault = error.message
  }
  if (read.length === 0) throw new UnreadableFile('it has no records')
  return { name: file.name, columns, dialect, records: read, fault }
}

/** A browser refuses folders, and files that have changed since they were chosen. */
const contentOf = (file: File): Promise<ArrayBuffer> =>
  file.arrayBuffer().catch((error: unknown) => {
    throw new UnreadableFile('the browser cannot open it', { cause: error })
  })

const inOnePiece = async function* (text: string): AsyncGenerator<string> {
  yield text
}

/** The parser is loaded with the first CSV. */
const readCsv = async (text: string, head: string): Promise<Source> => {
  const { parse } = await import('csv-parse/sync').catch((cause: unknown) => {
    throw new NotLoaded('csv-parse', { cause })
  })
  const lines: ParsedLine[] = []
  const collect = (line: unknown): null => {
    if (isParsedLine(line)) lines.push(line)
    return null
  }
  let error: unknown
  try {
    parse(text, { ...csvOptions(head), on_record: collect })
  } catch (thrown) {
    error = thrown
  }
  return csvSource(linesThen(lines, error), head)
}

/** With `info`, each record has its line number, which the parser's types do not express. */
const isParsedLine = (line: unknown): line is ParsedLine =>
  typeof line === 'object' && line !== null && 'record' in line && 'info' in line

/** The lines before a fault, and then the fault. */
const linesThen = async function* (lines: readonly ParsedLine[], error: unknown): AsyncGenerator<ParsedLine> {
  yield* lines
  if (error !== undefined) throw error
}
