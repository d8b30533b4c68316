import { collectDefaultMetrics, Registry } from 'prom-client'
import type { PrometheusContentType } from 'prom-client'

let registry: Registry<PrometheusContentType> | undefined

/**
 * What Node.js counts of this process: CPU, memory, event loop, garbage collection. One for all services that the
 * process runs, one after another: prom-client's observers never end.
 */
export const processMetrics = (): Registry<PrometheusContentType> => {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
