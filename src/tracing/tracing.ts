import type { Middleware } from 'koa'

import type { Database } from '../database/database.js'
import type { Layers } from '../layers/route.js'
import type { TracingOptions } from './tracer.js'

/** OpenTelemetry spans, as wrappers around what does the work: without tracing nothing is wrapped. */
export interface Tracing {
  readonly requests: Middleware
  readonly layers: (layers: Layers) => Layers
  readonly database: (database: Database) => Database
  /** Sends the remaining spans, for at most two seconds. */
  readonly close: () => Promise<void>
}

/** Loads OpenTelemetry's packages, which a service without tracing does not need. */
export const openTracing = async (options: TracingOptions): Promise<Tracing> => {
  const [{ openTracer }, { traceRequests }, { traceLayers }, { traceDatabase }] = await Promise.all([
    import('./tracer.js'),
    import('./trace-requests.js'),
    import('./trace-layers.js'),
    import('./trace-database.js'),
  ])
  const tracer = openTracer(options)
  return {
    requests: traceRequests(tracer),
    layers: (layers) => traceLayers(tracer, layers),
    database: (database) => traceDatabase(tracer, database),
    close: tracer.close,
  }
}
