import { isObject } from '../domain/is-object.js'
import { parseStrictJson } from '../input/strict-json.js'
import { UnreadableFile, isJson, type Source, type SourceRecord } from './source.js'
import { columnName } from './words.js'

/** The longest line or document in characters. A document that spans several lines is held in memory. */
const LONGEST = 64 * 1024 * 1024

/**
 * Reads JSON values, each of which is a link, a list of links, or an API page with a list of links. If the first line
 * is JSON, each line is read by itself, and one that is not JSON costs no other. Otherwise the whole text is read; if
 * it is not JSON, but its second line is, only the first line is broken. Values may follow each other without a line
 * break, as API responses do that were appended to one file.
 */
export const readJson = (text: AsyncIterable<string>): Source => ({
  columns: null,
  dialect: null,
  records: recordsOf(text),
})

const recordsOf = async function* (text: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let line = 0
  let isByLine = false
  /** the text since its first line that is not blank, which is not JSON */
  let document: { readonly from: number; text: string } | undefined
  for await (const each of linesOf(text)) {
    line += 1
    if (document !== undefined) {
      if (document.text.length > LONGEST) throw tooLong()
      document.text += `\n${each}`
    } else if (each.trim() !== '') {
      isByLine ||= valuesIn(each) !== undefined
      if (isByLine) yield* linksInLine(each, line)
      else document = { from: line, text: each }
    }
  }
  if (document === undefined) return
  const { from, text: whole } = document
  const values = valuesIn(whole)
  if (values !== undefined) return yield* linksIn(values, (nth) => `link ${nth}`)
  const lines = whole.split('\n')
  const [, second = ''] = lines.filter((each) => each.trim() !== '')
  if (!isJson(second) || valuesIn(second) === undefined)
    throw new UnreadableFile('it is neither one JSON document nor one on each line')
  for (const [at, each] of lines.entries()) yield* linksInLine(each, from + at)
}

/** The links in a line of its own; none in a blank one. */
const linksInLine = function* (text: string, line: number): Generator<SourceRecord> {
  if (text.trim() === '') return
  const values = valuesIn(text)
  if (values === undefined) yield { place: String(line), cells: new Map(), original: { line: text }, fault: NOT_JSON }
  else yield* linksIn(values, (nth, only) => (only ? String(line) : `${line}, link ${nth}`))
}

const tooLong = () => new UnreadableFile('a JSON text in it is longer than 64 MiB: write one link on each line (jq -c)')

const linesOf = async function* (text: AsyncIterable<string>): AsyncGenerator<string> {
  let line = ''
  for await (const piece of text) {
    const [end = '', ...starts] = piece.split('\n')
    // only the new piece is searched, so that a line of many pieces takes linear time
    line += end
    for (const start of starts) {
      yield line.replace(/\r$/, '')
      line = start
    }
    if (line.length > LONGEST) throw tooLong()
  }
  if (line !== '') yield line
}

/** Undefined if any of the text is not JSON, or nests too deep. */
const valuesIn = (text: string): readonly unknown[] | undefined => {
  const whole = parseJson(text)
  if (whole !== undefined) return [whole]
  const values = textsIn(text).map(parseJson)
  return values.includes(undefined) ? undefined : values
}

/** Splits a text after each bracket that leaves none open. Whether the parts are JSON, the parser says. */
const textsIn = (text: string): readonly string[] => {
  const texts: string[] = []
  let start = 0
  let depth = 0
  let isQuoted = false
  for (const { 0: sign, index } of text.matchAll(/\\.|["[\]{}]/g)) {
    if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') {
      depth -= 1
      if (depth !== 0) continue
      texts.push(text.slice(start, index + 1))
      start = index + 1
    }
  }
  const rest = text.slice(start)
  return rest.trim() === '' ? texts : [...texts, rest]
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

const linksIn = function* (
  values: readonly unknown[],
  placeOf: (nth: number, only: boolean) => string,
): Generator<SourceRecord> {
  const links = values.flatMap(listIn)
  for (const [at, link] of links.entries()) {
    const place = placeOf(at + 1, links.length === 1)
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
