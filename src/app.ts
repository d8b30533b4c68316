import { Router } from '@koa/router'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'

import { Deadline } from './domain/deadline.js'
import type { Decision } from './domain/decision.js'
import type { FinishedRequest } from './domain/finished-request.js'
import { Refusal } from './domain/refusal.js'
import type { CorsOrigins } from './config.js'
import type { AnswerHeaders } from './http/answer-headers.js'
import { commonHeaders } from './http/common-headers.js'
import { cors } from './http/cors.js'
import { errorExit, errorReport, type ErrorReport } from './http/error-exit.js'
import { finishRequests } from './http/finished-request.js'
import { matchRedirect } from './http/match-redirect.js'
import { patternsOf, type Matched } from './http/patterns-of.js'
import { refuseUnrouted } from './http/refuse-unrouted.js'
import { plainPlus, requireOneHost, requirePath } from './http/request-target.js'
import { discard, respond } from './http/respond.js'
import { withinDeadline } from './http/within-deadline.js'
import { writeTogether } from './http/write-together.js'
import { logBrokenResponse } from './log/broken-response.js'
import type { QuotaName, Standing } from './layers/1-gateway/rate-limit.js'
import type { Runtime } from './layers/layers.js'
import type { FormPage, Route } from './layers/route.js'

interface AppParts {
  readonly routes: readonly Route[]
  readonly runtime: Runtime
  readonly log: Logger
  /** timeout of a request, then answered 503 (`deadline_exceeded`) */
  readonly deadlineMs: number
  /** the public origin */
  readonly baseUrl: string
  /** origins whose pages may call the API from a browser; empty: none */
  readonly corsOrigins: CorsOrigins
  /** called once for every finished request, including refused and aborted ones */
  readonly observe: (request: FinishedRequest) => void
  /** called when the data layer refuses what the layers before it allowed */
  readonly onDisagreement: () => void
  /** starts a span for every request; undefined if tracing is off */
  readonly trace?: Middleware | undefined
}

declare module 'koa' {
  interface DefaultState {
    /** set by the first middleware of every request */
    requestId: string
    /** the response headers, collected until the answer is written */
    headers: AnswerHeaders
    /** when the request arrived, by performance.now() */
    startedAt: number
    /** set once the route is known */
    deadline: Deadline
    /** the path's pattern in the route table; undefined if none matched */
    route?: string
    /** renders the route's form again, filled with `sent`; undefined if the route has no form */
    form?: FormPage | undefined
    sent?: unknown
    /** true while the body is being read, and still true if that fails */
    readingBody?: boolean
    /** the policy revision that decides the request */
    revision?: number
    /** the client's address, once the gateway knows it */
    address?: string
    /** this request's key in koa-ratelimit */
    limitKey?: string
    /** the state of each quota that the request counted against, for the `RateLimit` headers */
    standings?: Map<QuotaName, Standing>
    /** koa-jwt's input (token, key) and output (claims); set only while it runs */
    bearer?: string
    secret?: KeyObject
    jwt?: unknown
    /** the caller, once the gateway knows them */
    userId?: string | undefined
    /** what the object layer allowed */
    decision?: Decision | undefined
    /** why the request was refused */
    refusal?: Refusal
    /** the trace of the request's span; undefined if tracing is off */
    traceId?: string
  }
}

/** The HTTP application: the middleware in the order in which a request passes it, then the route's four layers. */
export const createApp = (parts: AppParts): Koa => {
  const { routes, runtime, log, deadlineMs, baseUrl, corsOrigins, observe, onDisagreement, trace } = parts
  const app = new Koa()
  app.on('error', logBrokenResponse(log))
  app.use(writeTogether)
  app.use(commonHeaders(baseUrl.startsWith('https:')))
  app.use(finishRequests(observe))
  if (trace !== undefined) app.use(trace)
  const report = errorReport(log, onDisagreement)
  const serve = serveRoute(runtime, deadlineMs, report)
  app.use(errorExit(report, new URL(baseUrl).host))
  if (corsOrigins.length > 0) app.use(cors(corsOrigins))
  app.use(requireOneHost)
  app.use(requirePath)
  const redirect = routes.find(({ method, path }) => method === 'get' && path === '/:code')
  if (redirect !== undefined) {
    app.use(matchRedirect((ctx) => serve(redirect, ctx), new Set(routes.map(({ path }) => path))))
  }
  app.use(plainPlus)
  app.use(routerOf(routes, serve))
  app.use(refuseUnrouted(runtime.layers.gateway, pagesIn(routes)))
  return app
}

/** Patterns of the paths of pages: of those without a parameter, and of all of the console and the documentation. */
const pagesIn = (routes: readonly Route[]): readonly RegExp[] => {
  const pages = routes.filter(({ documentation: { types = [] } }) => types.includes('text/html'))
  const paths = pages.map(({ path }) => path).filter((path) => /^\/(?:(?:console|docs)\/.+|[^:]+)$/.test(path))
  return paths.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`))
}

type Serve = ReturnType<typeof serveRoute>

const routerOf = (routes: readonly Route[], serve: Serve) => {
  // exact paths: case-sensitive, no trailing slash
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) {
    const pattern = patternOf(route.path)
    router[route.method](pattern, (ctx: Context & { readonly matched?: readonly Matched[] }, next: Next) =>
      patternsOf(ctx.path, ctx.matched).some(({ path }) => path === pattern) ? serve(route, ctx) : next(),
    )
  }
  return router.routes()
}

/** Escapes `+`, which the router's patterns reserve. */
const patternOf = (path: string): string => path.replaceAll('+', '\\+')

/** Takes a request through its route's layers, within the deadline. */
const serveRoute =
  (runtime: Runtime, deadlineMs: number, report: ErrorReport) =>
  async (route: Route, ctx: Context): Promise<void> => {
    if (ctx.req.headers.authorization !== undefined || route.gateway.quota === 'sign_in') {
      ctx.state.headers.set('Cache-Control', 'no-store')
    }
    ctx.state.route = route.path
    ctx.state.form = route.form
    const deadline = (ctx.state.deadline = new Deadline(ctx.state.startedAt + deadlineMs))
    const late = {
      discard,
      reportFault: (error: unknown) => {
        // a Refusal is expected here: whatever the request waited for is refused after its deadline
        if (!(error instanceof Refusal)) report(ctx, error)
      },
    }
    respond(ctx, await withinDeadline(route.serve(runtime, ctx), deadline, late))
  }
