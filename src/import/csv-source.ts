import { unguardCell } from '../csv/cell.js'
import { counted } from '../domain/counted.js'
import { errorCode } from '../domain/thrown.js'
import { UnreadableFile, type CsvDialect, type Source, type SourceRecord } from './source.js'
import { columnName } from './words.js'

/** The longest record in bytes, so that a quote that was never closed does not fill the memory. */
const LONGEST_RECORD = 1_000_000

/** A parsed line of csv-parse. */
export interface ParsedLine {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Options for csv-parse. `head`: the beginning of the text, to detect the delimiter. */
export const csvOptions = (head: string) => ({
  bom: true,
  delimiter: dialectOf(head).delimiter,
  info: true as const,
  max_record_size: LONGEST_RECORD,
  // lines that were pasted together may end differently
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  // a quote inside an unquoted cell is literal
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
})

/**
 * A CSV whose first line names the columns. `head`: the beginning of the text. Throws UnreadableFile; so do its
 * records.
 */
export const csvSource = async (lines: AsyncIterator<ParsedLine>, head: string): Promise<Source> => {
  const nextRow = rowReader(lines)
  const first = await nextRow()
  const columns = first?.record ?? []
  const names = columns.map(columnName)
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw new UnreadableFile(`two of its columns are called ${twice}`)
  return { columns, dialect: dialectOf(head), records: recordsOf(nextRow, names) }
}

const recordsOf = async function* (nextRow: NextRow, names: readonly string[]): AsyncGenerator<SourceRecord> {
  for (let row = await nextRow(); row !== undefined; row = await nextRow()) {
    const texts = row.record.map(unguardCell)
    yield {
      place: String(row.line),
      cells: new Map(names.map((name, at) => [name, texts[at] ?? ''])),
      original: texts,
      ...(texts.length === names.length
        ? {}
        : {
            fault: `has ${counted(texts.length, 'cell')}, and the first line names ${counted(names.length, 'column')}`,
          }),
    }
  }
}

/** A record, and the line on which it begins. */
type NextRow = () => Promise<{ readonly record: readonly string[]; readonly line: number } | undefined>

/** The parser counts the line on which a record ends, and counts a CR LF inside a cell twice. */
const rowReader = (lines: AsyncIterator<ParsedLine>): NextRow => {
  let countedTwice = 0
  let next = 1
  return async () => {
    try {
      const { value, done } = await lines.next()
      if (done === true) return undefined
      const { record, info } = value
      const text = record.join('\t')
      countedTwice += text.match(/\r\n/g)?.length ?? 0
      const last = info.lines - countedTwice
      next = last + 1
      return { record, line: last - (text.match(/\r\n|\r|\n/g)?.length ?? 0) }
    } catch (error) {
      if (!isCsvError(error)) throw error
      throw new UnreadableFile(`from line ${next} on it cannot be read: ${FAULTS[error.code] ?? error.message}`, {
        cause: error,
      })
    }
  }
}

const OPEN_QUOTE = 'a quote is not closed'
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: OPEN_QUOTE,
  CSV_MAX_RECORD_SIZE: `a record is longer than ${LONGEST_RECORD.toLocaleString('en')} bytes, or ${OPEN_QUOTE}`,
}

interface CsvError extends Error {
  readonly code: string
}
const isCsvError = (error: unknown): error is CsvError => errorCode(error)?.startsWith('CSV_') === true

const dialectOf = (head: string): CsvDialect => ({ delimiter: delimiterOf(head), bom: head.startsWith('\ufeff') })

const DELIMITERS = [',', ';', '\t'] as const

/** The most frequent delimiter in the first line, outside of quotes. */
const delimiterOf = (head: string): string => {
  const [line = ''] = head.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1)
  const count = (sign: string): number => line.split(sign).length
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}
