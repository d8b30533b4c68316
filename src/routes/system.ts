import { z } from 'zod'

import { once } from '../domain/once.js'
import { Refusal } from '../domain/refusal.js'
import { FixedDocument } from '../http/fixed-document.js'
import { isLoopback } from '../layers/1-gateway/address.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Readiness } from './readiness.js'
import { PUBLIC_GET } from './shared-layers.js'
import { RevisionNumber, text, textOrNull } from './schemas.js'

interface SystemParts {
  readonly readiness: () => Promise<Readiness>
  readonly jwks: () => object
  /** undefined if metrics have a port of their own */
  readonly metrics: Pick<Metrics, 'text' | 'contentType'> | undefined
  /** JSON; a function, because it describes the table that contains the routes below */
  readonly openapi: () => Promise<string>
}

const readinessView = <Status extends string>(status: Status) =>
  z.object({
    status: z.literal(status).describe('whether the service accepts requests'),
    checks: z
      .object({
        database: z.enum(['ok', 'away', 'read_only']).describe('whether it responds and takes changes'),
        policy: z
          .object({
            revision: RevisionNumber.nullable().describe('the revision in force; null: none yet'),
            fault: textOrNull(500, 'why the newest revision is not in force'),
          })
          .describe('the policy in force'),
        draining: z.boolean().describe('true: the process is stopping'),
      })
      .describe('its dependencies'),
  })

/** The response of `/healthz`. */
export const liveness = (): Answer => ({ status: 200, body: { status: 'ok' } })

/** The response of `/readyz`. */
export const answerOfReadiness = ({ ready, checks }: Readiness): Answer =>
  ready
    ? { status: 200, body: { status: 'ready', checks } }
    : { status: 503, body: { status: 'not_ready', checks }, headers: { 'Retry-After': '1' } }

/** RFC 7517 §5: the public keys of the own issuer. */
const KeySet = z
  .object({
    keys: z
      .array(
        z.object({
          kty: z.literal('EC').describe('type of the key'),
          crv: z.literal('P-256').describe('curve'),
          x: text(64, 'coordinate'),
          y: text(64, 'coordinate'),
          kid: text(64, 'id of the key, named by tokens'),
          alg: z.literal('ES256').describe('algorithm'),
          use: z.literal('sig').describe('signatures'),
        }),
      )
      .max(100)
      .describe('the signing key, and keys of tokens that are still valid'),
  })
  .meta({ id: 'KeySet' })

/** For monitoring: requests from this machine do not count against a rate limit. */
const probe = { ...PUBLIC_GET, gateway: { scope: 'public', quota: 'probe' } } as const

/** Public routes outside the policy: health, keys, metrics and the API description. */
export const systemRoutes = ({ readiness, jwks, metrics, openapi }: SystemParts): readonly Route[] => {
  const keys = new FixedDocument(JSON.stringify(jwks()))
  const description = once(async () => new FixedDocument(await openapi()))
  return [
    route({
      ...probe,
      path: '/healthz',
      handle: liveness,
      documentation: {
        id: 'getHealth',
        example: { answer: { status: 'ok' } },
        summary: 'Liveness',
        tag: 'system',
        response: z.object({ status: z.literal('ok').describe('the process responds') }),
      },
    }),
    route({
      ...probe,
      path: '/readyz',
      handle: async () => answerOfReadiness(await readiness()),
      documentation: {
        id: 'getReadiness',
        summary: 'Readiness',
        description: 'The database is reachable, the policy is loaded, and the service is not stopping.',
        tag: 'system',
        response: readinessView('ready'),
        unready: readinessView('not_ready'),
      },
    }),
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
    route({
      ...PUBLIC_GET,
      path: '/.well-known/jwks.json',
      handle: () => ({
        status: 200,
        body: keys,
        type: 'application/jwk-set+json',
        headers: { 'Cache-Control': 'public, max-age=300' },
      }),
      documentation: {
        id: 'getKeys',
        tagged: 'read',
        summary: 'Public keys of the built-in issuer (RFC 7517)',
        tag: 'system',
        types: ['application/jwk-set+json'],
        response: KeySet,
      },
    }),
    route({
      ...PUBLIC_GET,
      path: '/openapi.json',
      handle: async () => ({
        status: 200,
        body: await description(),
        headers: { 'Cache-Control': 'public, max-age=60' },
      }),
      documentation: {
        id: 'getOpenapi',
        summary: 'This description (OpenAPI 3.1)',
        tag: 'system',
        tagged: 'read',
        response: z.looseObject({ openapi: text(10, 'the version of OpenAPI') }),
      },
    }),
  ]
}

/** For a collector on this machine: 404 for requests from a network or through a proxy. */
const metricsRoute = ({ text, contentType }: Pick<Metrics, 'text' | 'contentType'>): Route =>
  route({
    ...probe,
    path: '/metrics',
    handle: async ({ caller, headers }) => {
      if (headers.forwarded || !isLoopback(caller.address)) throw new Refusal('no_route')
      return { status: 200, body: await text(), type: contentType }
    },
    documentation: {
      id: 'getMetrics',
      refusals: ['no_route'],
      summary: 'Metrics for Prometheus',
      description: 'Only on the loopback interface.',
      tag: 'system',
      types: ['text/plain'],
    },
  })
