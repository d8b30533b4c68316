import type { Worker } from 'node:cluster'

import { StartError } from '../domain/start-error.js'
import { isToPrimary, type Ready, type Start, type ToWorker } from './message.js'

/** How a worker's process ended. */
export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** true if it was killed because its event loop was blocked */
  readonly hung: boolean
  /** why there never was a process */
  readonly notStarted?: Error
}

/** One worker as the primary sees it. */
export interface WorkerProcess {
  /** undefined, like the pid, if the process could not be started */
  readonly id: number | undefined
  readonly pid: number | undefined
  /** rejects if the worker ends before it is ready: with StartError if the operator can fix the reason */
  readonly ready: Promise<Ready>
  readonly ended: Promise<End>
  /** Finishes requests in flight and ends; keeps idle connections for `idleMs`. `now` cuts requests off. */
  stop(how: { readonly now: boolean; readonly idleMs?: number }): void
  kill(): void
}

interface WorkerProcessOptions {
  readonly worker: Worker
  readonly start: Omit<Start, 'kind'>
  /** the metrics of all workers; null if they could not be collected */
  readonly metrics: () => Promise<string | null>
}

const CHECK_EVERY_MS = 2_000
const MAX_SILENT_CHECKS = 5
const START_TIMEOUT_MS = 60_000

/**
 * Follows a forked process: tells it to start, knows when it is ready, and kills it if it is then silent for too long,
 * because its event loop is blocked. It counts checks instead of seconds, so that a suspended machine does not count. A
 * start may block the event loop for longer, on a busy machine: it has a timeout of its own.
 */
export const followWorker = ({ worker, start, metrics }: WorkerProcessOptions): WorkerProcess => {
  let silentChecks = 0
  let listens = false
  let hung = false
  const kill = () => {
    worker.process.kill('SIGKILL')
  }
  const send = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message, () => undefined)
  }

  const killHung = () => {
    hung = true
    kill()
  }

  const startTimeout = setTimeout(killHung, START_TIMEOUT_MS)
  let checks: NodeJS.Timeout | undefined
  const watch = () => {
    clearTimeout(startTimeout)
    checks = setInterval(() => {
      if (++silentChecks > MAX_SILENT_CHECKS) killHung()
    }, CHECK_EVERY_MS)
  }
  const ended = new Promise<End>((resolve) => {
    const end = (how: Pick<End, 'notStarted'> = {}) => {
      clearTimeout(startTimeout)
      clearInterval(checks)
      resolve({ code: worker.process.exitCode, signal: worker.process.signalCode, hung, ...how })
    }
    worker.once('exit', () => end())
    worker.on('error', (error) => {
      // A process that the system did not start (EAGAIN) never exits. After a channel error, it ends or falls silent.
      if (worker.process.pid === undefined) end({ notStarted: error })
    })
  })

  const ready = new Promise<Ready>((resolve, reject) => {
    worker.once('message', () => {
      listens = true
      send({ kind: 'start', ...start })
    })
    worker.on('message', (message: unknown) => {
      silentChecks = 0
      if (!isToPrimary(message)) return
      if (message.kind === 'ready') resolve(message)
      else if (message.kind === 'failed')
        reject(message.expected ? new StartError(message.message) : new Error(message.message))
      else if (message.kind === 'metrics') void metrics().then((text) => send({ kind: 'metrics', text }))
    })
    void ended.then((end) => reject(endedEarly(end)))
  })
  ready.then(watch, () => undefined)

  return {
    id: worker.id,
    pid: worker.process.pid,
    ready,
    ended,
    stop: ({ now, idleMs = 0 }) => {
      if (listens) send({ kind: 'stop', now, idleMs })
      // The process is not listening to the channel yet, and serves nobody.
      else kill()
    },
    kill,
  }
}

/** A worker for which `cluster.fork` threw (ENOMEM): one that has ended. */
export const unstartedWorker = (notStarted: Error): WorkerProcess => {
  const end = { code: null, signal: null, hung: false, notStarted }
  const ready = Promise.reject(endedEarly(end))
  ready.catch(() => undefined)
  return {
    id: undefined,
    pid: undefined,
    ready,
    ended: Promise.resolve(end),
    stop: () => undefined,
    kill: () => undefined,
  }
}

const endedEarly = (end: End): StartError => new StartError(`a worker ended before it listened (${describeEnd(end)})`)

/** The end of a worker, for a log line. */
export const describeEnd = ({ code, signal, hung, notStarted }: End): string => {
  if (notStarted !== undefined) return `it could not be started: ${notStarted.message}`
  return hung ? 'it stopped responding and was killed' : signal === null ? `exit code ${code}` : `signal ${signal}`
}
