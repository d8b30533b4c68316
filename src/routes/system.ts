import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Readiness } from './readiness.js'

export interface SystemParts {
  readonly readiness: () => Promise<Readiness>
  readonly jwks: () => object
  /** undefined if metrics have a port of their own */
  readonly metrics: Pick<Metrics, 'text' | 'contentType'> | undefined
  /** functions, because these two describe the table that contains the routes below */
  readonly openapi: () => object
  readonly docsPage: () => { readonly html: string; readonly contentSecurityPolicy: string }
}

const readinessView = <Status extends string>(status: Status) =>
  z.object({
    status: z.literal(status),
    checks: z.object({
      database: z.enum(['ok', 'away']),
      policy: z.object({ revision: z.number().nullable(), fault: z.string().nullable() }),
      draining: z.boolean(),
    }),
  })

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/

const publicGet = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'public', quota: 'none' },
  endpoint: 'none',
  object: NO_OBJECT,
  data: NO_DATA,
} as const

/** Public routes that no policy decides: health, keys, metrics and the descriptions of the API. */
export const systemRoutes = ({ readiness, jwks, metrics, openapi, docsPage }: SystemParts): readonly Route[] => [
  route({
    ...publicGet,
    path: '/healthz',
    handle: () => ({ status: 200, body: { status: 'ok' } }),
    documentation: { summary: 'Liveness', tag: 'system', response: z.object({ status: z.literal('ok') }) },
  }),
  route({
    ...publicGet,
    path: '/readyz',
    handle: async () => {
      const { ready, checks } = await readiness()
      return ready
        ? { status: 200, body: { status: 'ready', checks } }
        : { status: 503, body: { status: 'not_ready', checks }, headers: { 'Retry-After': '1' } }
    },
    documentation: {
      summary: 'Readiness: database reachable, policy loaded, not stopping',
      tag: 'system',
      response: readinessView('ready'),
      unready: readinessView('not_ready'),
    },
  }),
  ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
  route({
    ...publicGet,
    path: '/.well-known/jwks.json',
    handle: () => ({
      status: 200,
      body: jwks(),
      type: 'application/jwk-set+json',
      headers: { 'Cache-Control': 'public, max-age=300' },
    }),
    documentation: {
      summary: 'The public keys of the built-in issuer (RFC 7517)',
      tag: 'system',
      types: ['application/jwk-set+json'],
    },
  }),
  route({
    ...publicGet,
    path: '/openapi.json',
    handle: () => ({ status: 200, body: openapi(), headers: { 'Cache-Control': 'public, max-age=60' } }),
    documentation: {
      summary: 'This description (OpenAPI 3.1)',
      tag: 'system',
      response: z.looseObject({ openapi: z.string() }),
    },
  }),
  route({
    ...publicGet,
    path: '/docs',
    handle: () => {
      const { html, contentSecurityPolicy } = docsPage()
      return {
        status: 200,
        body: html,
        type: 'text/html; charset=utf-8',
        headers: { 'Content-Security-Policy': contentSecurityPolicy },
      }
    },
    documentation: { summary: 'This description as a page', tag: 'system', types: ['text/html'] },
  }),
]

/** For a collector on this machine: 404 for requests from a network or through a proxy. */
const metricsRoute = ({ text, contentType }: Pick<Metrics, 'text' | 'contentType'>): Route =>
  route({
    ...publicGet,
    path: '/metrics',
    handle: async ({ caller, headers }) => {
      if (headers.forwarded || !LOOPBACK.test(caller.address)) throw new Refusal('no_route')
      return { status: 200, body: await text(), type: contentType }
    },
    documentation: {
      summary: 'Metrics for Prometheus; only on the loopback interface',
      tag: 'system',
      types: ['text/plain'],
    },
  })
