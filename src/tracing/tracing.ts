import { createRequire } from 'node:module'

import type { Middleware } from 'koa'

import type { Database } from '../database/database.js'
import { StartError } from '../domain/start-error.js'
import type { Layers } from '../layers/layers.js'
import { OPTIONAL_PACKAGES } from '../version.js'
import type { TracingOptions } from './tracer.js'

/** OpenTelemetry spans, added by wrappers: without tracing, nothing is wrapped. */
export interface Tracing {
  readonly requests: Middleware
  readonly layers: (layers: Layers) => Layers
  readonly database: (database: Database) => Database
  /** Sends the remaining spans, for at most two seconds. */
  readonly close: () => Promise<void>
}

const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/** If OpenTelemetry's packages are not installed, throws a StartError that names the setting and what to install. */
export const requireTracingPackages = (setting: string): void => {
  const missing = Object.entries(OPTIONAL_PACKAGES).filter(
    ([name]) => name.startsWith('@opentelemetry/') && !isInstalled(name),
  )
  if (missing.length === 0) return
  const packages = missing.map(([name, range]) => `"${name}@${range}"`).join(' ')
  throw new StartError(`${setting}: traces need packages that are not installed: npm install ${packages}`)
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
