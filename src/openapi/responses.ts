import { MOST_ERRORS, REFUSALS, type RefusalCode } from '../domain/refusal.js'
import { LONGEST_REQUEST_ID, REQUEST_ID } from '../domain/request-id.js'
import type { Route } from '../layers/route.js'
import { problemsOf } from './problems.js'
import { ANY_TEXT, schemaOf, type Json, type NamedSchemas } from './schemas.js'

const header = (description: string, schema: Json): Json => ({
  description,
  schema: schema['type'] === undefined ? { type: 'string', maxLength: 2_048, ...schema } : schema,
})

/** Response headers, by their name in `components.headers`. */
export const ANSWER_HEADERS = {
  'X-Request-ID': header('The id of the request in the log, and in a problem.', { pattern: REQUEST_ID.source }),
  'Policy-Revision': header('The revision of the policy that decided.', {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  RateLimit: header('The remainder of each quota, and the seconds until it is full again.', {
    pattern: ANY_TEXT,
    examples: ['"user";r=299;t=60'],
  }),
  'RateLimit-Policy': header('The quotas that count this request.', {
    pattern: ANY_TEXT,
    examples: ['"user";q=300;w=60'],
  }),
  'Retry-After': header('Seconds until the request may be sent again.', {
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 86_400,
  }),
  'WWW-Authenticate': header('How to authenticate with a token (RFC 6750).', { pattern: '^Bearer( .*)?$' }),
  ETag: header('Identifies this version of the record, for If-Match and If-None-Match.', { pattern: '^(W/)?"[^"]*"$' }),
  Location: header('Where the record is, or where the link leads.', { format: 'uri-reference' }),
  'Idempotent-Replayed': header('The response of an earlier request with this Idempotency-Key.', {
    enum: ['true'],
  }),
  'Set-Cookie': header('The session of a browser; scripts cannot read it.', { pattern: '; HttpOnly;' }),
  'Access-Control-Allow-Origin': header('The page’s origin, if CORS_ORIGINS names it.', { format: 'uri' }),
  'Content-Disposition': header('A name for the file.', { pattern: '^attachment; filename=' }),
  'Model-SHA256': header('The SHA-256 of the model, in hex.', { pattern: '^[0-9a-f]{64}$' }),
} as const satisfies Readonly<Record<string, Json>>

type HeaderName = keyof typeof ANSWER_HEADERS

const EVERYWHERE: readonly HeaderName[] = [
  'X-Request-ID',
  'Policy-Revision',
  'RateLimit',
  'RateLimit-Policy',
  'Access-Control-Allow-Origin',
]

const headersOf = (names: readonly HeaderName[]): Json => ({
  headers: Object.fromEntries(
    [...EVERYWHERE, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
})

const text = (maxLength: number, description: string, more: Json = {}): Json => ({
  type: 'string',
  maxLength,
  description,
  ...(more['format'] === undefined && more['enum'] === undefined && { pattern: ANY_TEXT }),
  ...more,
})

/** RFC 9457. Some problems have more members, such as `rule` of a decision. */
export const PROBLEM: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457). `code` is for programs, `title` and `detail` are for people.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: text(100, 'a URN with the code', { format: 'uri' }),
    title: text(200, 'what happened, the same for each code'),
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'the status of the response' },
    detail: text(2_000, 'what happened this time, or what can be done about it'),
    code: text(64, 'stable', { enum: Object.keys(REFUSALS) }),
    rule: text(64, 'the policy rule that denied the request, such as R5'),
    request_id: text(LONGEST_REQUEST_ID, 'id of the request in the log', { pattern: REQUEST_ID.source }),
    errors: {
      type: 'array',
      maxItems: MOST_ERRORS,
      description: 'the first faults of the input; `detail` counts them all',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          // an unknown field has the name that the caller sent
          field: text(1_048_576, 'name of the field; with an index for a list: `tags.0`; empty for the whole body', {
            pattern: '^[\\s\\S]*$',
          }),
          message: text(10_000, 'the rule that it breaks'),
        },
      },
    },
  },
}

export const PAGE: Json = text(10_000_000, 'a page for a person')

const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Browsers, which prefer HTML, get a page instead. */
const problemContent = (codes: readonly RefusalCode[]): Json => {
  const [code] = codes
  const example = code && {
    type: `urn:linkgate:problem:${code}`,
    title: REFUSALS[code].title,
    status: REFUSALS[code].status,
    detail: REFUSALS[code].advice,
    code,
    request_id: '0d5c2f0e-8f0b-4e5e-9b7a-3c1f0a2b4d6e',
  }
  return {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example },
    'text/html': { schema: { $ref: '#/components/schemas/Page' } },
  }
}

const refusalOf = (status: number, codes: readonly RefusalCode[], unready: Json | undefined): Json => ({
  description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}`).join('. '),
  ...headersOf(HEADERS_OF_STATUS[status] ?? []),
  'x-problems': codes.map((code) => ({ code, layer: REFUSALS[code].layer, title: REFUSALS[code].title })),
  content: {
    ...problemContent(codes),
    ...(status === 503 && unready !== undefined && { 'application/json': { schema: unready } }),
  },
})

/** JSON, also under a name of its own such as `application/jwk-set+json` (RFC 6838 §4.2.8). */
const isJson = (type: string): boolean => /[/+]json$/.test(type)

/** The schema of a body that is not JSON. For bytes there is none: to JSON Schema, everything is text (OpenAPI 3.1). */
const schemaOfBody = (type: string): Json => {
  if (type.startsWith('image/') && !type.endsWith('+xml')) return {}
  return { $ref: `#/components/schemas/${type === 'text/html' ? 'Page' : 'Text'}` }
}

const contentOf = ({ documentation }: Route, schemas: NamedSchemas): Json => {
  const { response, types = [], example } = documentation
  const schema = response && schemaOf(response, 'output', schemas)
  const all = schema === undefined || types.some(isJson) ? types : ['application/json', ...types]
  const content = all.map((type) => [
    type,
    isJson(type)
      ? { schema: schema ?? {}, ...(example?.answer !== undefined && { example: example.answer }) }
      : { schema: schemaOfBody(type) },
  ])
  return content.length === 0 ? {} : { content: Object.fromEntries(content) }
}

const successHeaders = ({ status, gateway, idempotent, documentation }: Route): readonly HeaderName[] => [
  ...(documentation.tagged === undefined ? [] : (['ETag'] as const)),
  ...(documentation.location === true || (status >= 300 && status < 400) ? (['Location'] as const) : []),
  ...(gateway.from === undefined ? [] : (['Set-Cookie'] as const)),
  ...(idempotent ? (['Idempotent-Replayed'] as const) : []),
  ...(documentation.types?.some(isFile) === true ? (['Content-Disposition'] as const) : []),
  ...(documentation.headers ?? []),
]

/** True for the media type of an export. */
const isFile = (type: string): boolean => type === 'text/csv' || type === 'application/x-ndjson'

/** Every response of an operation, by status. */
export const responsesOf = (route: Route, schemas: NamedSchemas): Json => {
  const { status, documentation } = route
  const codes = problemsOf(route)
  const unready = documentation.unready && schemaOf(documentation.unready, 'output', schemas)
  const statuses = [...new Set(codes.map((code) => REFUSALS[code].status))]
  return {
    [status]: { description: documentation.summary, ...headersOf(successHeaders(route)), ...contentOf(route, schemas) },
    ...(documentation.proposed !== undefined && {
      202: { description: documentation.proposed, ...headersOf([]), ...contentOf(route, schemas) },
    }),
    ...Object.fromEntries(
      Object.entries(documentation.otherwise ?? {}).map(([each, description]) => [
        each,
        { description, ...headersOf(each.startsWith('3') ? successHeaders(route) : []) },
      ]),
    ),
    ...(documentation.tagged === 'read' && {
      304: { description: 'Not modified: the record still has the ETag of If-None-Match', ...headersOf(['ETag']) },
    }),
    ...Object.fromEntries(
      statuses.map((each) => [
        each,
        refusalOf(
          each,
          codes.filter((code) => REFUSALS[code].status === each),
          unready,
        ),
      ]),
    ),
  }
}
