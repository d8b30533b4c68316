import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'

import { Counter, Gauge, Registry } from 'prom-client'
import type { Logger } from 'pino'

import type { Config } from '../config.js'
import type { OpenedDatabase } from '../database/open.js'
import { QUOTA_NAMES } from '../layers/1-gateway/rate-limit.js'
import { createCounter } from '../layers/1-gateway/rate-limit-store.js'
import type { Count } from '../layers/1-gateway/rate-limit-store.js'
import { createMetricsGathering } from './gather-metrics.js'
import type { Ask, ToPrimary, ToWorker } from './message.js'
import { superviseWorkers } from './supervise.js'
import type { Supervisor } from './supervise.js'
import { followWorker } from './worker-process.js'
import type { Ready, WorkerProcess } from './worker-process.js'

export interface Workers extends Pick<Supervisor, 'stop' | 'restart'> {
  readonly baseUrl: string
}

/**
 * Starts `config.workers` processes that serve one port, and keeps them running. This process takes their connections
 * from the port and hands them out in turn, counts for their limits, and adds up their metrics; it reads no request.
 * Rejects with StartError where the workers cannot start, when none of them is left.
 */
export const startWorkers = async ({
  config,
  opened,
  log,
}: {
  readonly config: Config
  readonly opened: OpenedDatabase
  readonly log: Logger
}): Promise<Workers> => {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('../worker.js', import.meta.url)), args: [] })
  const count = createTogetherCounters(config)
  const gathering = createMetricsGathering()
  const { measurements, ended } = createPrimaryMetrics(() => workers.size)
  const workers = new Map<number, WorkerProcess>()
  // The workers share the port that the first of them was given; where all of them were gone, it is asked for by its
  // number.
  let port = config.port
  const listening = new Set<number>()

  const onQuestion = (
    question: Extract<ToPrimary, { kind: 'count' | 'metrics' }>,
    answer: (message: ToWorker) => void,
  ): void => {
    const { id } = question
    if (question.kind === 'count')
      void count(question.asks).then((counts) => answer({ kind: 'counted', id, counts: [...counts] }))
    else
      void measurements()
        .then((own) => gathering.text([...workers.values()], own))
        .then(
          (text) => answer({ kind: 'metrics', id, text }),
          (err: unknown) => {
            log.error({ err }, 'the metrics of the workers could not be added up')
            answer({ kind: 'metrics', id, text: null })
          },
        )
  }
  const fork = (): WorkerProcess => {
    const forked = cluster.fork()
    const worker = followWorker({
      worker: forked,
      start: { database: loginOf(opened), port: listening.size === 0 ? port : config.port },
      onQuestion,
    })
    workers.set(worker.id, worker)
    const checkPort = ({ port: given }: Ready) => {
      listening.add(worker.id)
      if (port === 0) port = given
      // the last one that held the port was gone at that moment
      if (port !== given) worker.kill()
    }
    void worker.ready.then(checkPort, () => undefined)
    return worker
  }
  const onEnd = (worker: WorkerProcess): void => {
    workers.delete(worker.id)
    listening.delete(worker.id)
    ended()
    gathering.retire(worker)
  }

  const supervisor = await superviseWorkers({ count: config.workers, fork, log, onEnd })
  const { url, metricsUrl, revision } = supervisor.ready
  log.info({ url, metrics_url: metricsUrl, revision, workers: config.workers }, 'listening')
  return { baseUrl: url, stop: supervisor.stop, restart: supervisor.restart }
}

/** The counters of the limits, for all workers: exact, since one process counts, and bounded as every counter here. */
const createTogetherCounters = ({ quotas }: Config) => {
  const counters = new Map(
    QUOTA_NAMES.flatMap((name) => {
      const quota = quotas[name]
      return quota === undefined ? [] : [[name, createCounter({ namespace: name, quota })] as const]
    }),
  )
  return (asks: readonly Ask[]): Promise<readonly Count[]> =>
    Promise.all(
      asks.map(([name, bucket]) => {
        const counter = counters.get(name)
        // a worker asks for a quota that is off: it was started with other settings than these
        return counter === undefined ? { allowed: false, left: 0, resetMs: 1_000 } : counter.consume(bucket)
      }),
    )
}

const createPrimaryMetrics = (alive: () => number) => {
  const registry = new Registry()
  const registers = [registry]
  const ends = new Counter({
    name: 'linkgate_worker_ends_total',
    help: 'Worker processes that ended: replaced, crashed or stopped',
    registers,
  })
  registry.registerMetric(
    new Gauge({
      name: 'linkgate_workers',
      help: 'Worker processes that run',
      registers: [],
      collect() {
        this.set(alive())
      },
    }),
  )
  return {
    measurements: () => registry.getMetricsAsJSON(),
    ended: () => {
      ends.inc()
    },
  }
}

/** What a worker needs to log in, and nothing that a message cannot carry. */
const loginOf = ({ service }: OpenedDatabase): Extract<ToWorker, { kind: 'start' }>['database'] => {
  const { connectionString, options, host, port, user, database, password, ssl } = service
  return {
    connectionString,
    options,
    host,
    port,
    user,
    database,
    ...(typeof password === 'string' ? { password } : {}),
    ...(ssl === false ? { ssl } : {}),
  }
}
