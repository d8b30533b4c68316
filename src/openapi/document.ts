import { SCOPES } from '../domain/action.js'
import { pauseEvery } from '../domain/pause-every.js'
import { MEDIA_TYPES } from '../input/input.js'
import { TAGS } from '../layers/documentation.js'
import type { Route } from '../layers/route.js'
import { HEADER_PARAMETERS, parametersOf } from './parameters.js'
import { ANSWER_HEADERS, PAGE, PROBLEM, responsesOf } from './responses.js'
import { ANY_TEXT, schemaOf, type Json, type NamedSchemas } from './schemas.js'

const bodyOf = ({ body, accepts, documentation: { example } }: Route, schemas: NamedSchemas): Json => {
  if (body === undefined) return {}
  const schema = schemaOf(body, 'input', schemas)
  const media = { schema, ...(example?.body !== undefined && { example: example.body }) }
  return {
    requestBody: {
      required: !body.safeParse(undefined).success,
      content: Object.fromEntries(accepts.map((each) => [MEDIA_TYPES[each], media])),
    },
  }
}

/** The checks of each layer, in words. */
const layersInWords = (route: Route): string => {
  const { gateway, dataRows } = route
  const { endpoint, object } = isOfItems(route) ? OF_ITEMS : ofRequest(route)
  return [
    '| layer | checks |',
    '|---|---|',
    `| gateway | the rate limit (\`${gateway.quota}\`)${
      gateway.scope === 'public'
        ? '; no token is needed'
        : gateway.scope === 'items'
          ? ', a token, and the scope of the operation'
          : `, a token with the scope \`${gateway.scope}\``
    }${gateway.from === undefined ? '' : '; only pages of this service may send it'} |`,
    `| endpoint | ${endpoint} |`,
    `| object | ${object} |`,
    `| data | reachable rows: ${dataRows} |`,
  ].join('\n')
}

/** True for a bulk request: each of its items is decided by itself. */
const isOfItems = ({ gateway }: Route): boolean => gateway.scope === 'items'

const OF_ITEMS = {
  endpoint: 'whether a row allows the caller’s role the action of the items',
  object: '`can()` for the record of each item',
}

const ofRequest = ({ endpoint, objectAction, andAction }: Route) => {
  const asked = [objectAction, andAction].filter((each) => each !== 'none').map((each) => `\`${each}\``)
  return {
    endpoint: endpoint === 'none' ? 'nothing' : `whether a row allows the caller’s role \`${endpoint}\``,
    object: asked.length === 0 ? 'nothing' : `\`can()\` for the record: ${asked.join(' and ')}`,
  }
}

/** `signsIn`: this service issues tokens itself. */
const securityOf = ({ gateway: { scope } }: Route, signsIn: boolean): readonly Json[] => {
  if (scope === 'public') return [{}, { bearer: [] }]
  return [...(signsIn ? [{ signIn: scope === 'items' ? [] : [scope] }] : []), { bearer: [] }]
}

const operationOf = (route: Route, schemas: NamedSchemas, signsIn: boolean): Json => {
  const { documentation } = route
  const { description = `${documentation.summary}.` } = documentation
  return {
    operationId: documentation.id,
    summary: documentation.summary,
    description: `${description}\n\n${layersInWords(route)}`,
    tags: [documentation.tag],
    security: securityOf(route, signsIn),
    'x-layers': {
      gateway: route.gateway,
      endpoint: isOfItems(route) ? 'items' : route.endpoint,
      object: isOfItems(route) ? 'items' : route.objectAction,
      ...(route.andAction !== 'none' && { and: route.andAction }),
      data: route.dataRows,
      ...(route.partAction !== 'none' && { part: route.partAction }),
    },
    parameters: parametersOf(route, schemas),
    ...bodyOf(route, schemas),
    responses: responsesOf(route, schemas),
  }
}

const DESCRIPTION = `Make short links, change them, and see who follows them.

A request passes four layers, each of which can refuse it: the gateway (rate limit, token, scope), the endpoint (role),
the object (the record exists, and the policy allows the action on it), and the data (rows that the caller may reach).
Each operation lists the checks and refusals of each layer.`

const TEXT: Json = {
  type: 'string',
  maxLength: 2_147_483_647,
  description: 'text, as a stream',
  pattern: ANY_TEXT,
}

/** RFC 6749 §4.3, and §6. */
const signInScheme = (baseUrl: string): Json => ({
  type: 'oauth2',
  description:
    'An access token for 15 minutes (a JWT that follows RFC8725) for a password, and new ones for refresh tokens.',
  flows: {
    password: {
      tokenUrl: `${baseUrl}/auth/token`,
      refreshUrl: `${baseUrl}/auth/token`,
      scopes: Object.fromEntries(SCOPES.map((scope) => [scope, `\`${scope}\`, as far as the policy allows it`])),
    },
  },
})

/**
 * The OpenAPI 3.1 description of the route table that serves the requests. Yields to the event loop between the routes.
 */
export const openapiDocument = async (
  routes: readonly Route[],
  { baseUrl, version }: { readonly baseUrl: string; readonly version: string },
): Promise<Json> => {
  const schemas: NamedSchemas = new Map([
    ['Problem', PROBLEM],
    ['Page', PAGE],
    ['Text', TEXT],
  ])
  const signsIn = routes.some(({ documentation }) => documentation.id === 'requestToken')
  const paths: Record<string, Record<string, Json>> = {}
  const pause = pauseEvery(1)
  for (const route of routes) {
    await pause()
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationOf(route, schemas, signsIn) }
  }
  const used = new Set<string>(routes.map(({ documentation }) => documentation.tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Linkgate',
      version,
      description: DESCRIPTION,
      contact: { name: 'Linkgate', url: `${baseUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'this installation', 'x-internal': false }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: HEADER_PARAMETERS,
      headers: ANSWER_HEADERS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT (RFC 9068)',
          description: 'An access token (a JWT that follows RFC8725), or a personal token (`POST /users/me/tokens`).',
        },
        ...(signsIn && { signIn: signInScheme(baseUrl) }),
      },
    },
  }
}
