import { createServer } from 'node:http'

import { createApp } from '../app.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import { answerBrokenRequests } from '../http/broken-request.js'
import { followConnections, type DrainOptions } from '../http/drain.js'
import { interfaceAddresses, listen, portOf, urlOf } from '../http/listen.js'
import { openMetricsServer } from '../http/metrics-server.js'
import type { Runtime } from '../layers/layers.js'
import type { Route } from '../layers/route.js'
import { logRequests } from '../log/log-requests.js'
import type { Metrics } from '../metrics/metrics.js'
import { answerOfReadiness, liveness } from '../routes/system.js'
import { routeTable, type TableParts } from '../routes/table.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

interface HttpParts extends Base {
  readonly runtime: Runtime
  /** the source of `/metrics`, which covers all processes */
  readonly exposed: Pick<Metrics, 'text' | 'contentType'>
  readonly table: Omit<TableParts, 'place' | 'settings' | 'metrics'>
}

export interface Http {
  readonly baseUrl: string
  /** where it listens */
  readonly port: number
  /** the separate URL of `/metrics`; undefined if it is served together with everything else */
  readonly metricsUrl: string | undefined
  /** the route table that is served */
  readonly routes: readonly Route[]
  /** Accepts no new connections; resolves when the requests in flight are answered or cut off. */
  endConnections(options: DrainOptions): Promise<void>
}

/** Longer than an idle connection is kept, and than event streams are silent. */
const SILENT_MS = 70_000
const DEADLINE_MARGIN_MS = 10_000

/** Listens, and then serves the route table. Throws StartError if a port is not available. */
export const openHttp = async (parts: HttpParts, closing: Closing): Promise<Http> => {
  const { config, data, runtime, metrics, exposed, table, log } = parts
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
    // request-target.ts refuses it like every other fault; Node would respond without a problem body
    requireHostHeader: false,
  })
  // Closes a connection on which nothing is read or written: its client may have left, or not want its answer. Not
  // earlier than the latest answer: a commit that is sent just before the deadline may take as long again.
  server.timeout = Math.max(SILENT_MS, 2 * config.requestDeadlineMs + DEADLINE_MARGIN_MS)
  const health = { '/healthz': liveness, '/readyz': readinessWhile(() => server.listening, table.readiness) }
  const onFault = (err: unknown) => log.error({ err }, 'a request on the port of the metrics failed')
  const metricsServer =
    config.metrics && (await openMetricsServer({ metrics: exposed, health, onFault }, config.metrics))
  closing.add(async () => metricsServer?.close())

  const endConnections = followConnections(server, config.maxConnections)
  // for a start that fails from here on; a service that stops has ended them already
  closing.add(() => endConnections({ now: true }))
  await listen(server, { host: config.host, port: config.port, setting: 'PORT' })

  const baseUrl = config.baseUrl ?? urlOf(server)
  const routes = routeTable({
    ...table,
    place: { baseUrl, host: config.host, port: portOf(server), addresses: interfaceAddresses() },
    settings: config,
    metrics: metricsServer === undefined ? exposed : undefined,
  })
  const logRequest = logRequests(log)
  const observe = (request: FinishedRequest) => {
    metrics.observeRequest(request)
    logRequest(request)
  }
  const secure = baseUrl.startsWith('https:')
  const app = createApp({
    routes,
    runtime,
    log,
    deadlineMs: config.requestDeadlineMs,
    baseUrl,
    corsOrigins: config.corsOrigins,
    onDisagreement: metrics.countDisagreement,
    trace: data.tracing?.requests,
    observe,
  }).callback()
  answerBrokenRequests(server, secure, observe)
  server.on('request', app)
  // An Expect other than 100-continue may be ignored (RFC 9110 §10.1.1). Node would respond with 417, without our
  // headers.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return { baseUrl, port: portOf(server), metricsUrl: metricsServer?.url, routes, endConnections }
}

/** The metrics port opens first. Until the public port is open, it must not report ready. */
const readinessWhile = (isOpen: () => boolean, readiness: TableParts['readiness']) => async () => {
  const { ready, checks } = await readiness()
  return answerOfReadiness({ ready: ready && isOpen(), checks })
}
