import type { Worker } from 'node:cluster'

import type { Logger } from 'pino'

import type { Config } from '../config.js'
import { listenerOf } from '../database/open.js'
import { StartError } from '../domain/start-error.js'
import { startService } from '../service.js'
import type { Service } from '../service.js'
import { isToWorker } from './message.js'
import type { Start, ToPrimary } from './message.js'

export interface WorkerParts {
  readonly config: Config
  readonly worker: Worker
  readonly log: Logger
}

const ALIVE_EVERY_MS = 1_000
const ORPHAN_STOP_TIMEOUT_MS = 10_000

/** Serves until the primary says stop, or is gone. Answers the exit code: 1 where it could not start. */
export const serveAsWorker = async ({ config, worker, log }: WorkerParts): Promise<number> => {
  let service: Service | undefined
  const stopNow = () => void service?.stop({ now: true })
  const onPrimaryGone = () => {
    log.warn('the primary process is gone: this worker stops')
    setTimeout(stopNow, ORPHAN_STOP_TIMEOUT_MS).unref()
  }
  const primary = connectToPrimary(worker, { stopNow, onPrimaryGone })
  const start = await primary.start
  if (start === null) return 0
  try {
    const starting = startService({
      config: { ...config, port: start.port },
      siblings: primary,
      log,
      opened: {
        service: start.database,
        listener: listenerOf(start.database, config),
        migrated: [],
        leave: async () => {},
      },
    })
    // Told to stop before it listens: it serves nobody yet, and what it has begun ends with its process. A start may
    // take long on a busy machine, and the others' requests would be cut off for it.
    const started = await Promise.race([starting, primary.stop.then(() => null)])
    if (started === null) return 0
    service = started
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    await primary.send({ kind: 'failed', message, expected: error instanceof StartError })
    return 1
  }
  const { baseUrl: url, metricsUrl, port } = service
  await primary.send({ kind: 'ready', url, metricsUrl, port, revision: service.policy.status().revision })

  await primary.stop
  const { now, idleMs } = primary.stopOptions()
  // One that is replaced (idleMs) leaves the port to the others at once. Where all stop, /readyz has to say so first.
  await service.stop({ now, idleMs, lingerMs: idleMs === 0 ? config.drainMs : 0 })
  return 0
}

interface Listeners {
  /** called for each stop that says `now`, also amid another one */
  readonly stopNow: () => void
  readonly onPrimaryGone: () => void
}

/** The channel to the primary. Gives a sign of life every second; keeps what is said before anybody waits for it. */
const connectToPrimary = (worker: Worker, { stopNow, onPrimaryGone }: Listeners) => {
  let stopOptions = { now: false, idleMs: 0 }
  const questions: ((text: string | null) => void)[] = []
  let onStart: (start: Start | null) => void = () => undefined
  let onStop: () => void = () => undefined
  const start = new Promise<Start | null>((resolve) => {
    onStart = resolve
  })
  const stop = new Promise<void>((resolve) => {
    onStop = resolve
  })

  worker.on('message', (message: unknown) => {
    if (!isToWorker(message)) return
    if (message.kind === 'start') onStart(message)
    else if (message.kind === 'metrics') questions.shift()?.(message.text)
    else {
      stopOptions = message
      if (message.now) stopNow()
      onStop()
    }
  })
  worker.once('disconnect', () => {
    // Otherwise node would end this process at this moment, and cut off requests in flight.
    worker.exitedAfterDisconnect = true
    onPrimaryGone()
    onStart(null)
    onStop()
  })
  // The libraries that use the channel do not look whether the primary is still there.
  worker.on('error', () => undefined)

  /** Resolves when the message is on its way, or never can be. */
  const send = (message: ToPrimary): Promise<void> =>
    new Promise((resolve) => {
      if (worker.isConnected()) worker.send(message, () => resolve())
      else resolve()
    })
  setInterval(() => void send({ kind: 'alive' }), ALIVE_EVERY_MS).unref()
  void send({ kind: 'alive' })

  return {
    /** null where the primary is gone */
    start,
    /** resolves when the primary says stop for the first time, or is gone */
    stop,
    /** how it said so last */
    stopOptions: () => stopOptions,
    send,
    /** The metrics of all workers. Any answer will do for any question. */
    metrics: () =>
      new Promise<string>((resolve, reject) => {
        questions.push((text) => {
          if (text === null) reject(new Error('the metrics of all workers could not be added up'))
          else resolve(text)
        })
        void send({ kind: 'metrics' })
      }),
  }
}
