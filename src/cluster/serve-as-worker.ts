import type { Worker } from 'node:cluster'

import type { Logger } from 'pino'

import type { Config } from '../config.js'
import { listenerOf } from '../database/open.js'
import { deferred } from '../domain/deferred.js'
import { messageOf } from '../domain/thrown.js'
import { StartError } from '../domain/start-error.js'
import { startService, type Service } from '../service.js'
import { isToWorker, type Start, type ToPrimary } from './message.js'

interface WorkerParts {
  readonly config: Config
  readonly worker: Worker
  readonly log: Logger
}

const ALIVE_EVERY_MS = 1_000
const ORPHAN_STOP_TIMEOUT_MS = 10_000

/** Serves until the primary says stop, or is gone. Resolves with the exit code: 1 if it could not start. */
export const serveAsWorker = async ({ config, worker, log }: WorkerParts): Promise<number> => {
  let service: Service | undefined
  const stopNow = () => void service?.stop({ now: true })
  const onPrimaryGone = () => {
    log.warn('the primary process is gone: this worker stops')
    setTimeout(stopNow, ORPHAN_STOP_TIMEOUT_MS).unref()
  }
  const primary = connectToPrimary(worker, { stopNow, onPrimaryGone, answerWithinMs: config.requestDeadlineMs })
  const start = await primary.start
  if (start === null) return 0
  try {
    const starting = startService({
      config: { ...config, port: start.port },
      siblings: primary,
      log,
      opened: { service: start.database, listener: listenerOf(start.database, config) },
    })
    // A worker that is told to stop before it listens serves nobody yet, so it may end at once. Waiting for a slow
    // start could exceed the stop timeout, and cut off the requests of the other workers.
    const started = await Promise.race([starting, primary.stop.then(() => null)])
    if (started === null) return 0
    service = started
  } catch (error) {
    await primary.send({ kind: 'failed', message: messageOf(error), expected: error instanceof StartError })
    return 1
  }
  const { baseUrl: url, metricsUrl, port } = service
  await primary.send({ kind: 'ready', url, metricsUrl, port, revision: service.policy.status().revision })

  await primary.stop
  const { now, idleMs } = primary.stopOptions()
  // A replaced worker (idleMs) leaves the port to the others at once. If all stop, /readyz has to report it first.
  await service.stop({ now, idleMs, lingerMs: idleMs === 0 ? config.drainMs : 0 })
  return 0
}

interface PrimaryOptions {
  /** called for each stop with `now`, even while another one is in progress */
  readonly stopNow: () => void
  readonly onPrimaryGone: () => void
  /** how long the primary may take to answer a question */
  readonly answerWithinMs: number
}

/**
 * The channel to the primary. Sends a heartbeat every second, and keeps messages that arrive before they are awaited.
 */
export const connectToPrimary = (worker: Worker, { stopNow, onPrimaryGone, answerWithinMs }: PrimaryOptions) => {
  let stopOptions = { now: false, idleMs: 0 }
  let nextMetrics = deferred<string | null>()
  const start = deferred<Start | null>()
  const stop = deferred()

  worker.on('message', (message: unknown) => {
    if (!isToWorker(message)) return
    if (message.kind === 'start') start.resolve(message)
    else if (message.kind === 'metrics') {
      nextMetrics.resolve(message.text)
      nextMetrics = deferred()
    } else {
      stopOptions = message
      if (message.now) stopNow()
      stop.resolve()
    }
  })
  worker.once('disconnect', () => {
    // Otherwise Node would end this process right now, and cut off requests in flight.
    worker.exitedAfterDisconnect = true
    onPrimaryGone()
    start.resolve(null)
    stop.resolve()
  })
  // The libraries that use the channel do not check whether the primary still exists.
  worker.on('error', () => undefined)

  /** Resolves when the message is sent, or can never be. */
  const send = (message: ToPrimary): Promise<void> =>
    new Promise((resolve) => {
      if (worker.isConnected()) worker.send(message, () => resolve())
      else resolve()
    })
  setInterval(() => void send({ kind: 'alive' }), ALIVE_EVERY_MS).unref()
  void send({ kind: 'alive' })

  return {
    /** null if the primary is gone */
    start: start.promise,
    /** resolves at the first stop from the primary, or when that is gone */
    stop: stop.promise,
    /** the options of the latest stop */
    stopOptions: () => stopOptions,
    send,
    /** The metrics of all workers. One answer settles all pending questions. Rejects if none comes in time. */
    metrics: async () => {
      const late = deferred<null>()
      const timeout = setTimeout(late.resolve, answerWithinMs, null)
      void send({ kind: 'metrics' })
      const text = await Promise.race([nextMetrics.promise, late.promise])
      clearTimeout(timeout)
      if (text === null) throw new Error('the metrics of all workers could not be added up')
      return text
    },
  }
}
