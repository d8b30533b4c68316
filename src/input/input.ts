import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { Fault } from '../domain/refusal.js'
import { parseStrictJson } from './strict-json.js'

/** Bodies over this many bytes are refused unread. */
export const LARGEST_BODY = 64 * 1024
const DEEPEST_JSON = 32
const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const
const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a request's body. 415 for another media type than those accepted or for an encoded body, 413 over 64 KiB,
 * 400 for malformed JSON, 422 naming the member for a duplicate one (its two values could mean two things to two
 * readers).
 */
export const readBody = async (ctx: Context, accepts: readonly ('json' | 'form')[]): Promise<unknown> => {
  const types = accepts.map((each) => MEDIA_TYPES[each])
  const type = ctx.is(types)
  // no body at all: whether that will do is for the route's schema to say
  if (type === null || ctx.get('Content-Length') === '0') return undefined
  const encoding = ctx.get('Content-Encoding')
  if (type === false || (encoding !== '' && encoding !== 'identity')) {
    throw new Refusal('unsupported_media_type', { detail: `Send ${types.join(' or ')}, not encoded.` })
  }
  const text = await readText(ctx)
  return type === MEDIA_TYPES.json ? readJson(text) : readForm(text)
}

const readText = async (ctx: Context): Promise<string> => {
  try {
    const bytes = await getRawBody(ctx.req, { limit: LARGEST_BODY, length: ctx.get('Content-Length') || null })
    return UTF_8.decode(bytes)
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new Refusal('body_too_large', {
        detail: `At most ${LARGEST_BODY} bytes.`,
        headers: { Connection: 'close' },
      })
    }
    throw new Refusal('invalid_request', {
      detail: 'The body could not be read as UTF-8 text of the announced length.',
      cause: error,
    })
  }
}

const readJson = (text: string): unknown => {
  const parsed = parseStrictJson(text, { maxDepth: DEEPEST_JSON })
  if (parsed.ok) return parsed.value
  if (parsed.fault === 'duplicate') {
    throw new Refusal('validation_failed', { errors: [{ field: parsed.path, message: 'is given twice' }] })
  }
  throw new Refusal(
    'malformed_json',
    parsed.fault === 'depth' ? { detail: `At most ${DEEPEST_JSON} levels of nesting.` } : {},
  )
}

const readForm = (text: string): unknown => {
  const entries = [...new URLSearchParams(text)]
  requireOnce(
    entries.map(([name]) => name),
    'invalid_request',
  )
  return Object.fromEntries(entries)
}

const requireOnce = (names: readonly string[], code: 'invalid_request' | 'invalid_query'): void => {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Refusal(code, { errors: [{ field: twice, message: 'is given twice' }] })
}

/**
 * Narrows a body to its schema. 422 with every fault, each naming its field; unknown fields are faults, and so is text
 * that PostgreSQL cannot hold, unless nothing of the value is `stored`.
 */
export const parseInput = <T>(
  value: unknown,
  schema: z.ZodType<T>,
  code: 'validation_failed' | 'invalid_request' | 'invalid_query' = 'validation_failed',
  { stored = true } = {},
): T => {
  const parsed = schema.safeParse(value)
  const faults = !parsed.success ? faultsOf(parsed.error) : stored ? unstorable(parsed.data) : []
  if (parsed.success && faults.length === 0) return parsed.data
  throw new Refusal(code, { errors: faults })
}

/**
 * Narrows the query string to its schema. 400 with every fault; a parameter that is given twice or not known is one.
 * Null for a route that takes no parameters: it ignores them, as the web does, so that a link that somebody hung their
 * tracking on still leads on.
 */
export const parseQuery = <T>(querystring: string | null, schema: z.ZodType<T>): T => {
  if (querystring === null) return parseInput(undefined, schema, 'invalid_query')
  const entries = [...new URLSearchParams(querystring)]
  requireOnce(
    entries.map(([name]) => name),
    'invalid_query',
  )
  return parseInput(Object.fromEntries(entries), schema, 'invalid_query')
}

/**
 * For a change that takes no parameters: what somebody hung on it (a second id, a field) would be ignored, and they
 * might think that it was not.
 */
export const requireNoQuery = (querystring: string): void => {
  if (querystring !== '') parseQuery(querystring, NO_PARAMETERS)
}

const NO_PARAMETERS = z.strictObject({})

/** U+0000 may stand in JSON and in a URL, and in no text of PostgreSQL's. */
const unstorable = (value: unknown, path: readonly string[] = []): Fault[] => {
  if (typeof value === 'string')
    return value.includes('\0') ? [{ field: path.join('.'), message: 'must not hold the character U+0000' }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]: readonly [string, unknown]) => [
    ...unstorable(name, path),
    ...unstorable(each, [...path, name]),
  ])
}

const faultsOf = (error: z.ZodError): Fault[] =>
  error.issues.flatMap((issue): Fault[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: 'is not a field that may be set here',
        }))
      : [{ field: issue.path.join('.'), message: issue.message }],
  )
