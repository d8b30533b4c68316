import type { Logger } from 'pino'

import type { Config } from '../config.js'
import { listenerOf } from '../database/open.js'
import { StartError } from '../domain/start-error.js'
import { startService } from '../service.js'
import type { Service } from '../service.js'
import type { ToWorker } from './message.js'
import type { PrimaryLink } from './primary-link.js'

export interface WorkerParts {
  readonly config: Config
  readonly link: PrimaryLink
  /** resolves where the primary ended without a word */
  readonly primaryGone: Promise<void>
  readonly log: Logger
}

type Stop = Extract<ToWorker, { kind: 'stop' }>

const ORPHAN_STOPS_WITHIN_MS = 10_000

/** Serves until the primary says stop, or is gone. Answers the exit code: 1 where it could not start. */
export const serveAsWorker = async ({ config, link, primaryGone, log }: WorkerParts): Promise<number> => {
  const start = await Promise.race([new Promise<Extract<ToWorker, { kind: 'start' }>>(link.onStart), primaryGone])
  if (!start) return 0
  let service: Service | undefined
  const stopping = new Promise<Pick<Stop, 'now' | 'idleMs'>>((resolve) => {
    link.onStop((how) => {
      resolve(how)
      if (how.now) void service?.stop({ now: true })
    })
    const stopAsOrphan = () => {
      log.warn('the primary process is gone: this worker stops')
      setTimeout(() => void service?.stop({ now: true }), ORPHAN_STOPS_WITHIN_MS).unref()
      resolve({ now: false, idleMs: 0 })
    }
    void primaryGone.then(stopAsOrphan)
  })
  try {
    service = await startService({
      config: { ...config, port: start.port },
      siblings: link,
      log,
      opened: {
        service: start.database,
        listener: listenerOf(start.database, config),
        embedded: config.databaseUrl === undefined,
        migrated: [],
        leave: async () => {},
      },
    })
  } catch (error) {
    await link.send({
      kind: 'failed',
      message: error instanceof Error ? error.message : String(error),
      expected: error instanceof StartError,
    })
    return 1
  }
  await link.send({
    kind: 'ready',
    url: service.baseUrl,
    metricsUrl: service.metricsUrl,
    port: service.port,
    revision: service.policy.status().revision,
  })
  const how = await stopping
  // one that is replaced leaves the port to its siblings; where all of them go, whoever asks for readiness hears of it
  // first
  await service.stop({ ...how, lingerMs: how.idleMs === 0 ? config.drainMs : 0 })
  await link.sayFarewell()
  return 0
}
