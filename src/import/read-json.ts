import { isObject } from '../domain/is-object.js'
import { parseStrictJson } from '../input/strict-json.js'
import type { Source, SourceRecord } from './source-record.js'
import { UnreadableFile } from './unreadable-file.js'
import { columnName } from './words.js'

/** The longest document. Lines are read one by one, but a document that spans several lines is held in memory. */
const LONGEST = 64 * 1024 * 1024

/**
 * Reads one JSON value per line (NDJSON, or concatenated API responses), or one document. A value is a link, a list of
 * links, or an API page with a list of links.
 */
export const readJson = (text: AsyncIterable<string>): Source => ({
  columns: null,
  dialect: null,
  records: recordsOf(text),
})

const recordsOf = async function* (text: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let line = 0
  let document: string | undefined
  for await (const each of linesOf(text)) {
    line += 1
    if (document !== undefined) {
      if (document.length > LONGEST) throw tooLong()
      document += `\n${each}`
      continue
    }
    if (each.trim() === '') continue
    const value = parseJson(each)
    if (value !== undefined) yield* linksIn(value, (nth, only) => (only ? String(line) : `${line}, link ${nth}`))
    else if (line === 1) document = each
    else yield { place: String(line), cells: new Map(), original: { line: each }, fault: NOT_JSON }
  }
  if (document === undefined) return
  const value = parseJson(document)
  if (value === undefined) throw new UnreadableFile('it is neither one JSON document nor one on each line')
  yield* linksIn(value, (nth) => `link ${nth}`)
}

const tooLong = () => new UnreadableFile('a JSON text in it is longer than 64 MiB: write one link on each line (jq -c)')

const linesOf = async function* (text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let isFirst = true
  for await (const piece of text) {
    const lines = (rest + (isFirst ? piece.replace(/^\ufeff/, '') : piece)).split('\n')
    isFirst &&= piece === ''
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST) throw tooLong()
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (rest !== '') yield rest
}

/** More than any link or page of an API has; deeper ones would overflow the stack of what walks and writes them. */
const MAX_DEPTH = 32
const NOT_JSON = 'is not JSON, or nests too deep'

/** Undefined for what is not JSON, or nests too deep. Of a member that is given twice, the last one counts. */
const parseJson = (text: string): unknown => {
  const parsed = parseStrictJson(text, { maxDepth: MAX_DEPTH })
  if (parsed.ok) return parsed.value
  return parsed.fault === 'duplicate' ? JSON.parse(text) : undefined
}

/** The members that contain the list in API responses: Kutt, Bitly and YOURLS, Shlink. */
const LISTS = ['data', 'links', 'shortUrls', 'result'] as const

const linksIn = function* (value: unknown, placeOf: (nth: number, only: boolean) => string): Generator<SourceRecord> {
  const list = listIn(value)
  for (const [at, link] of list.entries()) {
    const place = placeOf(at + 1, !Array.isArray(value) && list.length === 1)
    if (isObject(link)) yield { place, cells: cellsOf(link), original: link }
    else yield { place, cells: new Map(), original: { value: link }, fault: 'is not a JSON object' }
  }
}

/** YOURLS has an object of links (`link_1`, …) where others have a list. */
const listIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return [value]
  const list = LISTS.map((name) => value[name]).find((each) => typeof each === 'object' && each !== null)
  if (list === undefined) return [value]
  if (Array.isArray(list)) return list
  return LISTS.some((name) => isObject(list) && name in list) ? listIn(list) : Object.values(list)
}

/** The link as cells of a CSV: lists joined by commas, members of an object under both names (`meta.maxVisits`). */
const cellsOf = (link: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> => {
  const cells = new Map<string, string>()
  for (const [name, value] of Object.entries(link)) {
    if (isObject(value))
      for (const [inner, each] of Object.entries(value)) cells.set(columnName(name + inner), textOf(each))
    else cells.set(columnName(name), textOf(value))
  }
  return cells
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
