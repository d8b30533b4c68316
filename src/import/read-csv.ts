import { pipeline } from 'node:stream/promises'

import { parse } from 'csv-parse'

import { csvOptions, csvSource } from './csv-source.js'
import type { Source } from './source-record.js'

/** Reads a CSV of any length. `head`: the beginning of its text. */
export const readCsv = async (text: AsyncIterable<string>, head: string): Promise<Source> => {
  const parser = parse(csvOptions(head))
  // if the input fails, the parser ends, and its reader gets the error
  pipeline(text, parser).catch(() => undefined)
  return csvSource(parser[Symbol.asyncIterator](), head)
}
