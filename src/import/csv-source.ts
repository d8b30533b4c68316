import { unguardCell } from '../csv/cell.js'
import { errorCode } from '../domain/error-code.js'
import type { CsvDialect, Source, SourceRecord } from './source-record.js'
import { UnreadableFile } from './unreadable-file.js'
import { columnName } from './words.js'

/** A record longer than this is a quote that was never closed. */
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
})

/**
 * A CSV whose first line names the columns. `head`: the beginning of the text. Throws UnreadableFile; so do its
 * records.
 */
export const csvSource = async (rows: AsyncIterator<ParsedLine>, head: string): Promise<Source> => {
  const first = await nextRow(rows)
  const columns = first?.record ?? []
  const names = columns.map(columnName)
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw new UnreadableFile(`two of its columns are called ${twice}`)
  return { columns, dialect: dialectOf(head), records: recordsOf(rows, names) }
}

const recordsOf = async function* (
  rows: AsyncIterator<ParsedLine>,
  names: readonly string[],
): AsyncGenerator<SourceRecord> {
  const lineOf = lineCounter()
  for (let row = await nextRow(rows); row !== undefined; row = await nextRow(rows)) {
    const texts = row.record.map(unguardCell)
    yield {
      place: String(lineOf(row)),
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

const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const nextRow = async (rows: AsyncIterator<ParsedLine>): Promise<ParsedLine | undefined> => {
  try {
    const { value, done } = await rows.next()
    return done === true ? undefined : value
  } catch (error) {
    if (!isCsvError(error)) throw error
    const isOpenQuote = error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
    const what = isOpenQuote ? 'a quote is not closed' : error.message
    throw new UnreadableFile(`from line ${Number(error.lines) || 1} on it cannot be read: ${what}`, { cause: error })
  }
}

interface CsvError extends Error {
  readonly code: string
  readonly lines?: unknown
}
const isCsvError = (error: unknown): error is CsvError => errorCode(error)?.startsWith('CSV_') === true

/**
 * Computes the line on which each record begins; call it for every record in order. The parser counts the line on which
 * a record ends, and counts a CR LF inside a cell twice.
 */
const lineCounter = (): ((row: ParsedLine) => number) => {
  let countedTwice = 0
  return ({ record, info: { lines } }) => {
    const text = record.join('\t')
    countedTwice += text.match(/\r\n/g)?.length ?? 0
    return lines - countedTwice - (text.match(/\r\n|\r|\n/g)?.length ?? 0)
  }
}

const dialectOf = (head: string): CsvDialect => ({ delimiter: delimiterOf(head), bom: head.startsWith('\ufeff') })

const DELIMITERS = [',', ';', '\t'] as const

/** The most frequent delimiter in the first line, outside of quotes. */
const delimiterOf = (head: string): string => {
  const [line = ''] = head.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1)
  const count = (sign: string): number => line.split(sign).length
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}
