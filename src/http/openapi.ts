import { z } from 'zod'

import { REFUSALS } from '../domain/refusal.js'
import { KEY_LIFE_HOURS } from '../layers/4-data/idempotency.js'
import type { Route } from '../layers/route.js'

type Json = Readonly<Record<string, unknown>>

/** Schemas with a name of their own: they stand once, under `components`, and are referred to. */
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

const PROBLEM: Json = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'stable; for programs' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** The statuses with which the layers and the service itself may refuse a route, beside its own. */
const refusalsOf = (route: Route): readonly number[] => {
  const statuses = new Set<number>(route.documentation.refusals ?? [])
  const add = (when: boolean, ...those: number[]) => {
    if (when) for (const status of those) statuses.add(status)
  }
  // also public routes refuse a token that is not valid, and a demand (Policy-At-Least) that they cannot meet
  add(true, 400, 401, 412, 500, 503)
  add(route.gateway.quota !== 'none', 429)
  add(route.gateway.scope !== 'public' || route.endpoint !== 'none' || route.objectAction !== 'none', 403)
  add(route.path.includes(':'), 404)
  add(route.body !== undefined, 413, 415, 422)
  add(route.idempotent, 409)
  return [...statuses].sort((a, b) => a - b)
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  description: `The caller’s own name for this request: sent again with the same body within ${KEY_LIFE_HOURS} hours it makes nothing, and is answered as it was, with \`Idempotent-Replayed: true\`. With another body 422, while the first is under way 409.`,
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

const successOf = ({ status, documentation: { response, types, summary } }: Route, named: Named): Json => {
  const texts = (types ?? [])
    .filter((type) => type !== 'application/json')
    .map((type) => [type, { schema: { type: 'string' } }] as const)
  const content =
    response || texts.length > 0
      ? {
          ...(response ? { 'application/json': { schema: schemaOf(response, 'output', named) } } : {}),
          ...Object.fromEntries(texts),
        }
      : null
  return { [status]: { description: summary, ...(content ? { content } : {}) } }
}

const operationOf = (route: Route, named: Named): Json => ({
  operationId: `${route.method}${route.path.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`,
  summary: route.documentation.summary,
  tags: [route.documentation.tag],
  security: route.gateway.scope === 'public' ? [{}, { bearer: [] }] : [{ bearer: [route.gateway.scope] }],
  'x-layers': {
    gateway: route.gateway,
    endpoint: route.endpoint,
    object: route.objectAction,
    data: route.dataRows,
    ...(route.partAction === 'none' ? {} : { part: route.partAction }),
  },
  parameters: parametersOf(route),
  ...(route.body
    ? {
        requestBody: {
          required: true,
          content: Object.fromEntries(
            route.accepts.map((each) => [MEDIA[each], { schema: schemaOf(route.body ?? z.any(), 'input', named) }]),
          ),
        },
      }
    : {}),
  responses: {
    ...successOf(route, named),
    ...(route.documentation.tagged === true
      ? { 304: { description: 'The caller holds it already (If-None-Match)' } }
      : {}),
    ...Object.fromEntries(
      refusalsOf(route).map((status) => [
        status,
        { description: titleOf(status), content: { ...problemContent, ...ownContent(route, status, named) } },
      ]),
    ),
  },
})

/** What a route says itself with a status that is otherwise a problem. */
const ownContent = ({ documentation: { unready } }: Route, status: number, named: Named): Json =>
  unready !== undefined && status === 503 ? { 'application/json': { schema: schemaOf(unready, 'output', named) } } : {}

const titleOf = (status: number): string =>
  Object.entries(REFUSALS)
    .filter(([, kind]) => kind.status === status)
    .map(([code]) => `\`${code}\``)
    .join(', ') || 'Refused'

/**
 * The OpenAPI 3.1 description of a route table: made from the same values that serve the requests, so it cannot drift.
 */
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
        'Short codes that redirect. Every operation is decided by one policy function over rows that admins edit live; a request passes four layers, and each operation below says what each of them checks.',
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
