import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { z } from 'zod'

import { Refusal, type Fault } from '../domain/refusal.js'
import { isStorable } from '../domain/text.js'
import { faultOfBody } from './broken-body.js'
import { faultMessage, faultMessageWith, faultsOf } from './fault-message.js'
import { headerLines, headerOf } from './header-lines.js'
import { parseStrictJson } from './strict-json.js'

const MAX_BODY_BYTES = 64 * 1024
const MAX_JSON_DEPTH = 32
/** More than any schema allows: checking each item of a longer list would hold up all other requests. */
const MAX_JSON_ITEMS = 5_000
/** The media types of request bodies. */
export const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const
export type MediaType = keyof typeof MEDIA_TYPES
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
const QUERY_MESSAGE = faultMessageWith('is not a parameter here')
const NOT_UTF_8 = 'must be percent-encoded UTF-8'

/**
 * Reads a request's body; undefined if there is none. 415 for media types that are not accepted, for another charset
 * than UTF-8 and for encoded bodies, 413 over 64 KiB or `maxBytes`, 400 for malformed JSON and for two media types, 422
 * for a duplicate member, because parsers differ in which one they keep.
 */
export const readBody = async (
  ctx: Context,
  accepts: readonly MediaType[],
  maxBytes = MAX_BODY_BYTES,
): Promise<unknown> => {
  const types = accepts.map((each) => MEDIA_TYPES[each])
  const type = ctx.is(types)
  if (type === null || headerOf(ctx, 'content-length') === '0') return undefined
  // Of two headers Node keeps the first, but a proxy in between may have read the second.
  if (headerLines(ctx.req.rawHeaders, 'content-type').length > 1)
    throw new Refusal('invalid_request', { detail: 'Send one Content-Type header.' })
  const encoding = headerOf(ctx, 'content-encoding') ?? 'identity'
  const transfer = headerOf(ctx, 'transfer-encoding') ?? 'chunked'
  if (type === false || encoding !== 'identity' || transfer.toLowerCase() !== 'chunked')
    throw new Refusal('unsupported_media_type', { detail: `Send ${types.join(' or ')}, not encoded.` })
  if (!/^(?:utf-?8)?$/i.test(ctx.request.charset))
    throw new Refusal('unsupported_media_type', { detail: 'Send the text as UTF-8.' })
  const text = await readText(ctx, maxBytes)
  return type === MEDIA_TYPES.json ? readJson(text) : readPairs(text, 'invalid_request')
}

const readText = async (ctx: Context, limit: number): Promise<string> => {
  ctx.state.readingBody = true
  try {
    const fault = faultOfBody(ctx.req)
    if (fault !== undefined) throw fault
    const bytes = await getRawBody(ctx.req, { limit, length: headerOf(ctx, 'content-length') ?? null })
    ctx.state.readingBody = false
    return UTF_8.decode(bytes)
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new Refusal('body_too_large', {
        detail: `At most ${limit} bytes.`,
        headers: { Connection: 'close' },
      })
    }
    throw new Refusal('invalid_request', {
      detail: 'The body is not UTF-8 text of the announced length.',
      cause: error,
    })
  }
}

const readJson = (text: string): unknown => {
  const parsed = parseStrictJson(text, { maxDepth: MAX_JSON_DEPTH, maxItems: MAX_JSON_ITEMS })
  if (parsed.ok) return parsed.value
  if (parsed.fault === 'duplicate') throw givenTwice(parsed.path, 'validation_failed')
  if (parsed.fault === 'length')
    throw new Refusal('validation_failed', { errors: [{ field: parsed.path, message: 'has too many items' }] })
  throw new Refusal(
    'malformed_json',
    parsed.fault === 'depth' ? { detail: `At most ${MAX_JSON_DEPTH} levels of nesting.` } : {},
  )
}

type InputFault = 'validation_failed' | 'invalid_request' | 'invalid_query'

/** Whether all percent-encoded bytes are UTF-8. URLSearchParams would replace the others without a word. */
const isUtf8 = (text: string): boolean => {
  try {
    for (const [bytes] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(bytes)
    return true
  } catch {
    return false
  }
}

/** A form or a query string as an object. Only names in `lists` may be repeated. */
const readPairs = (text: string, code: InputFault, lists: readonly string[] = []): unknown => {
  const garbled = text.split('&').filter((pair) => !isUtf8(pair))
  if (garbled.length > 0) {
    const names = new Set(new URLSearchParams(garbled.join('&')).keys())
    throw new Refusal(code, { errors: [...names].map((field) => ({ field, message: NOT_UTF_8 })) })
  }
  const all = new URLSearchParams(text)
  const given = lists.filter((name) => all.has(name)).map((name) => [name, all.getAll(name)] as const)
  for (const name of lists) all.delete(name)
  const pairs = [...all]
  const values = Object.fromEntries([...pairs, ...given])
  if (Object.keys(values).length === pairs.length + given.length) return values
  const seen = new Set<string>()
  const [twice = ''] = pairs.find(([name]) => seen.size === seen.add(name).size) ?? []
  throw givenTwice(twice, code)
}

const givenTwice = (field: string, code: InputFault): Refusal =>
  new Refusal(code, { errors: [{ field, message: 'is given twice' }] })

/**
 * Narrows a body to its schema. 422 with every fault, each naming its field. Unknown fields are faults, and so is text
 * that PostgreSQL cannot store, unless `stored` is false.
 */
export const parseInput = <T>(
  value: unknown,
  schema: z.ZodType<T>,
  code: InputFault = 'validation_failed',
  { stored = true } = {},
): T => {
  const parsed = schema.safeParse(value, { error: code === 'invalid_query' ? QUERY_MESSAGE : faultMessage })
  const faults = !parsed.success ? faultsOf(parsed.error) : stored ? unstorable(parsed.data) : []
  if (parsed.success && faults.length === 0) return parsed.data
  throw new Refusal(code, { errors: faults })
}

/**
 * Narrows a query string to its schema. 400 with every fault, such as a repeated or unknown parameter.
 */
export const parseQuery = <T>(querystring: string, schema: z.ZodType<T>): T =>
  parseInput(readPairs(querystring, 'invalid_query', listsIn(schema)), schema, 'invalid_query')

/** The parameters that may be repeated. */
const listsIn = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape).flatMap(([name, each]) =>
        each instanceof z.ZodOptional && each.unwrap() instanceof z.ZodArray ? [name] : [],
      )
    : []

/** For endpoints without parameters: a caller who sends one would believe that it took effect. */
export const requireNoQuery = (querystring: string): void => {
  if (querystring !== '') parseQuery(querystring, z.strictObject({}))
}

/** The texts of an input that the database cannot store unchanged. */
const unstorable = (value: unknown, path: readonly string[] = []): Fault[] => {
  if (typeof value === 'string')
    return isStorable(value) ? [] : [{ field: path.join('.'), message: 'must not hold U+0000 or half a character' }]
  if (typeof value !== 'object' || value === null) return []
  // names need no check: schemas take known ones alone
  return Object.entries(value).flatMap(([name, each]: readonly [string, unknown]) => unstorable(each, [...path, name]))
}
