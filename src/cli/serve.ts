import { setTimeout as delay } from 'node:timers/promises'

import type { Command } from 'commander'
import type { Logger } from 'pino'

import { settingWarnings, type Config } from '../config.js'
import { openDatabase, type ServiceLogin } from '../database/open.js'
import { claimDataDir, requirePlatformPackage } from '../embedded-postgres/embedded-postgres.js'
import { requireFreePort } from '../http/listen.js'
import { loadArgon2 } from '../identity/load-argon2.js'
import { loadSigningKey } from '../identity/signing-key.js'
import { createLogger, logUncaught, standardOutput } from '../log/create-logger.js'
import { lineFormat } from '../log/line-format.js'
import { requireTracingPackages } from '../tracing/tracing.js'
import { openCountries } from '../visits/country.js'
import { addFirstAdmin } from './first-admin.js'
import { print } from './print.js'
import { settings, type Settings } from './session.js'
import { onSignals, type Signals } from './signals.js'
import { goodbye, welcome } from './welcome.js'

const STOP_WITHIN_MS = 10_000

/** The settings that a first try may need. */
const SETTINGS_HELP = `
Settings are environment variables, such as PORT=8080 linkgate serve:
  HOST, PORT           where it listens (127.0.0.1, 3000)
  BASE_URL             the URL at which people reach it (http://HOST:PORT)
  DATA_DIR             where it keeps its data (./data)
  DATABASE_URL         your own PostgreSQL (default: an embedded one in DATA_DIR)
  LOG_FORMAT           json or text (text on a terminal, else json)
  LOG_LEVEL            from trace to fatal, or silent (json: info, text: warn)
All of them: docs/operations.md, and /docs/operations of a running service.`

export const register = (program: Command) =>
  program
    .command('serve')
    .description('run the service (what "npm start" runs)')
    .addHelpText('after', SETTINGS_HELP)
    .action(async () => {
      const config = settings()
      const output = standardOutput({ shared: config.workers > 1 })
      const log = createLogger(config.logLevel, output, lineFormat(config.logFormat))
      logUncaught(log)
      for (const warning of settingWarnings()) log.warn(warning)
      const signals = onSignals()
      await requireBeforehand(config)
      try {
        await serve(config, log, signals)
      } catch (error) {
        if (!(error instanceof StoppedEarly)) throw error
        log.info('stopped before it had started')
        // whatever was waited for may hang
        process.exit()
      }
    })

/** From the claim on the data folder to its release. Throws StoppedEarly. */
const serve = async (config: Settings, log: Logger, signals: Signals): Promise<void> => {
  const claim = await unless(signals.first, claimDataDir(config.dataDir))
  try {
    const opening = openDatabase(config, { creating: true, log: (line) => log.warn(line) })
    // a PostgreSQL that this starts must not stay behind, except after a second signal
    const opened = await unless(config.databaseUrl === undefined ? signals.second : signals.first, opening)
    try {
      if (signals.isStopping()) throw new StoppedEarly()
      const running = await unless(signals.second, start({ config, opened, log }))
      signals.onHangUp(() => running.restart())
      try {
        if (!signals.isStopping()) {
          // only once it listens: a failed start could not show the password to anybody
          const admin = await addFirstAdmin(opened, config, log)
          print(welcome({ baseUrl: running.baseUrl, admin, config }))
        }
      } catch (error) {
        await running.stop({ now: true })
        throw error
      }
      await signals.first
      if (config.speaksToPerson) print(goodbye(config))
      await stop(running, log, signals.second, config.drainMs)
    } finally {
      await opened.leave()
    }
  } finally {
    await claim.release()
  }
}

/** A signal came before the service had started. */
class StoppedEarly extends Error {}

/** The result of a step of the start, unless a signal comes first. */
const unless = <T>(signal: Promise<void>, step: Promise<T>): Promise<T> =>
  Promise.race([
    step,
    signal.then(() => {
      throw new StoppedEarly()
    }),
  ])

/** Checks for what would make the start fail, before a database, a policy and an admin are created. */
const requireBeforehand = async (config: Config): Promise<void> => {
  const { host, port, metrics, databaseUrl, tracing, signingKeyNamed, signingKeyFile } = config
  const { countsVisits, geoipDatabase: file, countryHeader: header } = config
  await loadArgon2()
  if (databaseUrl === undefined) requirePlatformPackage()
  if (tracing !== undefined) requireTracingPackages(tracing.setting)
  await requireFreePort({ host, port, setting: 'PORT' })
  if (metrics !== undefined) await requireFreePort({ ...metrics, setting: 'METRICS_PORT' })
  if (signingKeyNamed) await loadSigningKey(signingKeyFile)
  if (countsVisits) await openCountries({ file, header })
}

/** The service in this process, or in several workers. */
interface Running {
  readonly baseUrl: string
  stop(how: { readonly now: boolean }): Promise<void>
  /** replaces the workers, one after another */
  restart(): unknown
}

interface Parts {
  readonly config: Config
  readonly opened: ServiceLogin
  readonly log: Logger
}

/** Loads only what this process needs: the primary of several workers serves no requests itself. */
const start = async (parts: Parts): Promise<Running> => {
  if (parts.config.workers > 1) return (await import('../cluster/start-workers.js')).startWorkers(parts)
  const { startService } = await import('../service.js')
  const service = await startService(parts)
  return {
    baseUrl: service.baseUrl,
    stop: ({ now }) => service.stop({ now, lingerMs: parts.config.drainMs }),
    restart: () => parts.log.info('SIGHUP is ignored: with WORKERS=1 a restart would interrupt the service'),
  }
}

/** Lets requests in flight finish, until the timeout or a second signal. */
const stop = async (running: Running, log: Logger, second: Promise<void>, drainMs: number): Promise<void> => {
  log.info('stopping: requests in flight may finish')
  const stopped = new AbortController()
  const stopNow = () => running.stop({ now: true })
  const cutOff = () => {
    log.warn('requests in flight were cut off')
    return stopNow()
  }
  try {
    await Promise.race([
      running.stop({ now: false }),
      second.then(stopNow),
      delay(drainMs + STOP_WITHIN_MS, undefined, { signal: stopped.signal }).then(cutOff),
    ])
  } finally {
    stopped.abort()
  }
  log.info('stopped')
}
