import { pipeline } from 'node:stream/promises'

import { parse, type Parser } from 'csv-parse'

import { csvOptions, csvSource, type ParsedLine } from './csv-source.js'
import type { Source } from './source.js'

/** Reads a CSV of any length. `head`: the beginning of its text. */
export const readCsv = async (text: AsyncIterable<string>, head: string): Promise<Source> => {
  const parser = parse(csvOptions(head))
  // if the input fails, the parser ends, and its reader gets the error
  pipeline(text, parser).catch(() => undefined)
  return csvSource(linesOf(parser), head)
}

/** A stream that fails still holds the lines before the fault, which its iterator would drop. */
const linesOf = async function* (parser: Parser): AsyncGenerator<ParsedLine> {
  try {
    yield* parser
  } catch (error) {
    for (let line: ParsedLine | null = parser.read(); line !== null; line = parser.read()) yield line
    throw error
  }
}
