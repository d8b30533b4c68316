import { collectDefaultMetrics, Registry, type PrometheusContentType } from 'prom-client'

let registry: Registry<PrometheusContentType> | undefined

/**
 * Node.js metrics of this process: CPU, memory, event loop, garbage collection. Created once, even if the process runs
 * several services one after another: prom-client's observers cannot be stopped.
 */
export const processMetrics = (): Registry<PrometheusContentType> => {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
