import { pipeline } from 'node:stream/promises'

import { parse } from 'csv-parse'

import { csvOptions, csvSource } from './csv-source.js'
import type { Source } from './source-record.js'

/** A CSV of any length. `head`: the beginning of its text. */
export const readCsv = async (text: AsyncIterable<string>, head: string): Promise<Source> => {
  const parser = parse(csvOptions(head))
  // a failure of the text ends the parser, and is thrown by what reads from it
  pipeline(text, parser).catch(() => undefined)
  return csvSource(parser[Symbol.asyncIterator](), head)
}
