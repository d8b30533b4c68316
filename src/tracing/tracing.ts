import type { Middleware } from 'koa'

import type { Database } from '../database/database.js'
import type { Layers } from '../layers/route.js'
import type { TracingOptions } from './tracer.js'

/**
 * Spans of requests (OpenTelemetry), as wrappers around what does the work: where tracing is off, nothing is wrapped,
 * and a request pays nothing.
 */
export interface Tracing {
  /** a span of every request */
  readonly requests: Middleware
  /** the same layers, with a span of each */
  readonly layers: (layers: Layers) => Layers
  /** the same database, with a span of each question that a request asks */
  readonly database: (database: Database) => Database
  /** Sends what is left, for two seconds at the most, and stops. */
  readonly close: () => Promise<void>
}

/** Opens tracing; the packages that it takes are loaded here, and not before. */
export const openTracing = async (options: TracingOptions): Promise<Tracing> => {
  const [{ openTelemetry }, { traceRequests }, { traceLayers }, { traceDatabase }] = await Promise.all([
    import('./open-telemetry.js'),
    import('./trace-requests.js'),
    import('./trace-layers.js'),
    import('./trace-database.js'),
  ])
  const tracer = openTelemetry(options)
  return {
    requests: traceRequests(tracer),
    layers: (layers) => traceLayers(tracer, layers),
    database: (database) => traceDatabase(tracer, database),
    close: tracer.close,
  }
}
