import { Router } from '@koa/router'
import Koa from 'koa'
import type { Context, Next } from 'koa'
import helmet from 'koa-helmet'
import type { Logger } from 'pino'

import { errorExit } from './http/error-exit.js'
import type { Metrics } from './http/metrics.js'
import { requestId } from './http/request-id.js'
import { requireOneHost } from './http/require-one-host.js'
import { KNOWN_METHODS, refuseUnrouted } from './http/refuse-unrouted.js'
import { discard, respond } from './http/respond.js'
import { withinDeadline } from './http/within-deadline.js'
import type { Layers, Route } from './layers/route.js'

export interface AppParts {
  readonly routes: readonly Route[]
  readonly layers: Layers
  readonly log: Logger
  /** after it a request is answered 503 (`deadline_exceeded`) */
  readonly deadlineMs: number
  /** true where the public origin is https */
  readonly secure: boolean
  /** told of every answered request, refused ones too */
  readonly observe: Metrics['observeRequest']
}

declare module 'koa' {
  interface DefaultState {
    /** set by the first middleware of every request */
    requestId: string
    /** the path's pattern in the route table; undefined where none matched */
    route?: string
    /** the policy revision that the request was decided under, once it was */
    revision?: number
  }
}

/** The HTTP application, top to bottom: what a request meets before its route, and the route's four layers last. */
export const createApp = ({ routes, layers, log, deadlineMs, secure, observe }: AppParts): Koa => {
  const app = new Koa()
  // a response that breaks off (a reader that left, an export whose database went away) is logged, and nothing else
  app.on('error', (error: unknown) => log.warn({ err: error }, 'a response broke off'))
  app.use(requestId)
  app.use(securityHeaders(secure))
  app.use(observeRequests(observe))
  app.use(errorExit(log))
  app.use(requireOneHost)
  app.use(routerOf(routes, layers, deadlineMs))
  app.use(refuseUnrouted)
  return app
}

/** An API is no page: nothing may be loaded, framed or run from its answers. The docs page widens this for its own style. */
const securityHeaders = (secure: boolean) => helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // over http a browser ignores it, and a service that is reached both ways must not speak for its neighbours
  strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
})

const observeRequests = (observe: AppParts['observe']) => async (ctx: Context, next: Next): Promise<void> => {
  const began = performance.now()
  await next()
  observe({ method: KNOWN_METHODS.has(ctx.method) ? ctx.method : 'other', route: ctx.state.route ?? 'none', status: ctx.status, seconds: (performance.now() - began) / 1_000 })
}

const routerOf = (routes: readonly Route[], layers: Layers, deadlineMs: number) => {
  // exact paths: no other case, no trailing slash
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) {
    router[route.method](route.path, async (ctx: Context) => {
      if (ctx.headers.authorization !== undefined || route.gateway.quota === 'sign_in') ctx.set('Cache-Control', 'no-store')
      ctx.state.route = route.path
      try {
        respond(ctx, await withinDeadline(route.serve(layers, ctx), deadlineMs, discard))
      } finally {
        if (ctx.state.revision !== undefined) ctx.set('Policy-Revision', String(ctx.state.revision))
      }
    })
  }
  return router.routes()
}
