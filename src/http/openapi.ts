import { z } from 'zod'

import { REFUSALS } from '../domain/refusal.js'
import { KEY_LIFE_HOURS } from '../layers/4-data/idempotency.js'
import type { Route } from '../layers/route.js'

type Json = Readonly<Record<string, unknown>>

/** Named schemas, defined once under `components`. */
type Named = Map<string, Json>

const schemaOf = (schema: z.ZodType, io: 'input' | 'output', named: Named): Json => {
  const text = JSON.stringify(
    z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any', reused: 'inline' }),
  )
  const {
    $schema: _,
    $defs = {},
    ...json
  }: Json & { readonly $defs?: Readonly<Record<string, Json>> } = JSON.parse(
    text.replaceAll('"#/$defs/', '"#/components/schemas/'),
  )
  for (const [name, each] of Object.entries($defs)) named.set(name, each)
  return json
}

const string = { type: 'string' } as const

const PROBLEM: Json = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'code', 'request_id'],
  properties: {
    type: string,
    title: string,
    status: { type: 'integer' },
    detail: string,
    code: { ...string, description: 'stable; for programs' },
    request_id: string,
    errors: {
      type: 'array',
      items: { type: 'object', required: ['field', 'message'], properties: { field: string, message: string } },
    },
  },
}

/** A browser, which prefers HTML, gets a page instead. */
const problemContent = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  'text/html': { schema: string },
}

/** The statuses of refusals by the layers and by the service itself, and the route's own. */
const refusalsOf = (route: Route): readonly number[] => {
  const guarded = route.gateway.scope !== 'public' || route.endpoint !== 'none' || route.objectAction !== 'none'
  const statuses = [
    // public routes too refuse an invalid token, and a Policy-At-Least that they cannot meet
    400,
    401,
    412,
    429,
    500,
    503,
    ...(guarded ? [403] : []),
    ...(route.path.includes(':') ? [404] : []),
    ...(route.body === undefined ? [] : [413, 415, 422]),
    ...(route.idempotent ? [409] : []),
    ...(route.documentation.refusals ?? []),
  ]
  return [...new Set(statuses)].sort((a, b) => a - b)
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  description:
    `The caller’s name for this request. A repetition with the same body within ${KEY_LIFE_HOURS} hours creates ` +
    'nothing and gets the same answer, with `Idempotent-Replayed: true`; 409 if the answer had a secret. 422 with ' +
    'another body; 409 while the first request is in progress.',
}

const parametersOf = (route: Route): Json[] => {
  const list = (schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] => {
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    return Object.entries(properties).map(([name, each]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: each,
    }))
  }
  return [...list(route.params, 'path'), ...list(route.query, 'query'), ...(route.idempotent ? [IDEMPOTENCY_KEY] : [])]
}

const MEDIA = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

/** JSON, also under a name of its own such as `application/jwk-set+json` (RFC 6838 §4.2.8). */
const isJson = (type: string): boolean => /[/+]json$/.test(type)

const successOf = ({ status, documentation: { response, types = [], summary } }: Route, named: Named): Json => {
  const schema = response && schemaOf(response, 'output', named)
  const all = schema === undefined || types.some(isJson) ? types : ['application/json', ...types]
  const content = Object.fromEntries(all.map((type) => [type, { schema: isJson(type) ? (schema ?? {}) : string }]))
  return { [status]: { description: summary, ...(Object.keys(content).length > 0 && { content }) } }
}

const bodyOf = ({ body, accepts }: Route, named: Named): Json | undefined => {
  if (!body) return undefined
  const schema = schemaOf(body, 'input', named)
  return { required: true, content: Object.fromEntries(accepts.map((each) => [MEDIA[each], { schema }])) }
}

const operationOf = (route: Route, named: Named): Json => {
  const requestBody = bodyOf(route, named)
  const refusals = refusalsOf(route).map((status) => [
    status,
    { description: titleOf(status), content: { ...problemContent, ...ownContent(route, status, named) } },
  ])
  return {
    operationId: route.documentation.id,
    summary: route.documentation.summary,
    tags: [route.documentation.tag],
    security:
      route.gateway.scope === 'public'
        ? [{}, { bearer: [] }]
        : [{ bearer: route.gateway.scope === 'items' ? [] : [route.gateway.scope] }],
    'x-layers': {
      gateway: route.gateway,
      endpoint: route.endpoint,
      object: route.objectAction,
      ...(route.andAction !== 'none' && { and: route.andAction }),
      data: route.dataRows,
      ...(route.partAction !== 'none' && { part: route.partAction }),
    },
    parameters: parametersOf(route),
    ...(requestBody && { requestBody }),
    responses: {
      ...successOf(route, named),
      ...(route.documentation.tagged && { 304: { description: 'Not modified (If-None-Match)' } }),
      ...Object.fromEntries(refusals),
    },
  }
}

/** The body of a 503 that is not a problem. */
const ownContent = ({ documentation: { unready } }: Route, status: number, named: Named): Json =>
  unready && status === 503 ? { 'application/json': { schema: schemaOf(unready, 'output', named) } } : {}

const titleOf = (status: number): string =>
  Object.entries(REFUSALS)
    .filter(([, kind]) => kind.status === status)
    .map(([code]) => `\`${code}\``)
    .join(', ') || 'Refused'

/** The OpenAPI 3.1 description of the route table that serves the requests. */
export const openapiDocument = (
  routes: readonly Route[],
  { baseUrl, version }: { readonly baseUrl: string; readonly version: string },
): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  const named: Named = new Map([['Problem', PROBLEM]])
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationOf(route, named) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Linkgate',
      version,
      description:
        'Short links. One policy function decides every operation, over rows that admins edit live. A request passes ' +
        'four layers; each operation below says what each of them checks.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ documentation }) => documentation.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(named),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT (RFC 9068)' } },
    },
  }
}
