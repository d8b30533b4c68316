import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { Metrics } from '../metrics/metrics.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import type { Readiness } from './readiness.js'

export interface SystemParts {
  readonly readiness: () => Promise<Readiness>
  readonly jwks: () => object
  /** undefined where they have a port of their own */
  readonly metrics: Pick<Metrics, 'text' | 'contentType'> | undefined
  /**
   * the OpenAPI document and the page made of it; functions, since they describe the table that these routes are part
   * of
   */
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

const open = {
  gateway: { scope: 'public', quota: 'none' },
  endpoint: 'none',
  object: NO_OBJECT,
  data: NO_DATA,
} as const

/** What is public and decided by nobody: health, keys, and the description of the service. */
export const systemRoutes = ({ readiness, jwks, metrics, openapi, docsPage }: SystemParts): readonly Route[] => [
  route({
    method: 'get',
    path: '/healthz',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: () => ({ status: 200, body: { status: 'ok' } }),
    documentation: { summary: 'The process is alive', tag: 'system', response: z.object({ status: z.literal('ok') }) },
  }),
  route({
    method: 'get',
    path: '/readyz',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: async () => {
      const { ready, checks } = await readiness()
      return {
        status: ready ? 200 : 503,
        body: { status: ready ? 'ready' : 'not_ready', checks },
        headers: ready ? {} : { 'Retry-After': '1' },
      }
    },
    documentation: {
      summary: 'The service can answer: database, policy, not stopping',
      tag: 'system',
      response: readinessView('ready'),
      unready: readinessView('not_ready'),
    },
  }),
  ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
  route({
    method: 'get',
    path: '/.well-known/jwks.json',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: () => ({
      status: 200,
      ...NO_INPUT,
      body: jwks(),
      type: 'application/jwk-set+json',
      headers: { 'Cache-Control': 'public, max-age=300' },
    }),
    documentation: {
      summary: 'The public keys of the own issuer (RFC 7517)',
      tag: 'system',
      types: ['application/jwk-set+json'],
    },
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: () => ({ status: 200, body: openapi(), headers: { 'Cache-Control': 'public, max-age=60' } }),
    documentation: {
      summary: 'This description (OpenAPI 3.1)',
      tag: 'system',
      response: z.looseObject({ openapi: z.string() }),
    },
  }),
  route({
    method: 'get',
    path: '/docs',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: () => {
      const { html, contentSecurityPolicy } = docsPage()
      return {
        status: 200,
        ...NO_INPUT,
        body: html,
        type: 'text/html; charset=utf-8',
        headers: { 'Content-Security-Policy': contentSecurityPolicy },
      }
    },
    documentation: { summary: 'This description, as a page', tag: 'system', types: ['text/html'] },
  }),
]

/**
 * For a collector on this machine: what comes over a network, or through a proxy that may speak for one, finds nothing.
 */
const metricsRoute = ({ text, contentType }: Pick<Metrics, 'text' | 'contentType'>): Route =>
  route({
    method: 'get',
    path: '/metrics',
    status: 200,
    ...NO_INPUT,
    ...open,
    handle: async ({ caller, headers }) => {
      if (headers.forwarded || !LOOPBACK.test(caller.address)) throw new Refusal('no_route')
      return { status: 200, body: await text(), type: contentType }
    },
    documentation: {
      summary: 'Counters for Prometheus; answered on the loopback interface alone',
      tag: 'system',
      types: ['text/plain'],
    },
  })
