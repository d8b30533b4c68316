import cluster from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { Logger } from 'pino'
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client'

import type { Config } from '../config.js'
import type { ServiceLogin } from '../database/open.js'
import { countForWorkers } from '../layers/1-gateway/rate-limit-store.js'
import { metricsIn } from '../metrics/metrics-in.js'
import { superviseWorkers, type Supervisor } from './supervise.js'
import { followWorker, type WorkerProcess } from './worker-process.js'

interface Workers extends Pick<Supervisor, 'stop' | 'restart'> {
  readonly baseUrl: string
}

/**
 * Starts `config.workers` processes that serve one port, and keeps them running. This process accepts connections and
 * distributes them in turn, counts for the rate limits, and aggregates the metrics; it reads no request. Rejects with
 * StartError if the workers cannot start; none is left running then.
 */
export const startWorkers = async ({
  config,
  opened,
  log,
}: {
  readonly config: Config
  readonly opened: ServiceLogin
  readonly log: Logger
}): Promise<Workers> => {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('../worker.js', import.meta.url)), args: [] })
  countForWorkers(config.quotas)

  const workers = new Set<WorkerProcess>()
  const registry = new AggregatorRegistry<PrometheusContentType>()
  const { counter, gauge } = metricsIn(registry)
  const ends = counter('linkgate_worker_ends_total', 'Worker processes that ended: replaced, crashed or stopped')
  gauge('linkgate_workers', 'Worker processes that run', 'sum', () => workers.size)
  // prom-client fails after 5 seconds if one worker does not respond. So this waits for workers that are starting, and
  // asks again if one ends meanwhile.
  const metrics = async (): Promise<string | null> => {
    const answered = new AbortController()
    try {
      await Promise.allSettled([...workers].map(({ ready }) => ready))
      const workerGone = once(cluster, 'disconnect', { signal: answered.signal }).then(() => null)
      const text = await Promise.race([registry.clusterMetrics(), workerGone])
      return text === null ? await metrics() : text + (await registry.metrics())
    } catch (err) {
      log.error({ err }, 'the metrics of the workers could not be added up')
      return null
    } finally {
      answered.abort()
    }
  }

  // PORT=0: all workers ask for port 0 and share the one that the first was given. Once all are gone, new ones ask for
  // that port by number.
  let port = config.port
  let givenPort = config.port
  const fork = (): WorkerProcess => {
    const worker = followWorker({ worker: cluster.fork(), start: { database: opened.service, port }, metrics })
    workers.add(worker)
    const keepPort = (ready: { readonly port: number }) => {
      givenPort = ready.port
    }
    worker.ready.then(keepPort, () => undefined)
    const forget = () => {
      workers.delete(worker)
      ends.inc()
      if (workers.size === 0) port = givenPort
    }
    void worker.ended.then(forget)
    return worker
  }

  const { ready, stop, restart } = await superviseWorkers({ count: config.workers, fork, log })
  const { url, metricsUrl, revision } = ready
  log.info({ url, metrics_url: metricsUrl, revision, workers: config.workers }, 'listening')
  return { baseUrl: url, stop, restart }
}
