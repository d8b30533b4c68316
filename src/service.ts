import { setTimeout as pause } from 'node:timers/promises'

import type { Logger } from 'pino'

import { keepLog } from './audit/keep-log.js'
import type { Config } from './config.js'
import type { Database } from './database/database.js'
import { deadlineExceeded } from './domain/deadline.js'
import { createGate } from './domain/gate.js'
import type { ServiceLogin } from './database/open.js'
import { createIdentity } from './identity/identity.js'
import { loadOrMakeSigningKey, loadSigningKey } from './identity/signing-key.js'
import { backgroundWork } from './jobs/background-work.js'
import { runJobs } from './jobs/run-jobs.js'
import { SEARCH_MS } from './layers/4-data/link-page.js'
import type { Layers, Route } from './layers/route.js'
import { createMetrics } from './metrics/metrics.js'
import type { CurrentPolicy } from './policy/current.js'
import { readinessOf } from './routes/readiness.js'
import { createClosing } from './start/closing.js'
import type { Closing } from './start/closing.js'
import { openData } from './start/open-data.js'
import { openHttp } from './start/open-http.js'
import { openLayers } from './start/open-layers.js'
import { openPolicy } from './start/open-policy.js'
import { openPublicLinks } from './start/open-public-links.js'
import { openVisits } from './start/open-visits.js'

/** How long each resource may take to close where the service stops at once: what is hung does not end by itself. */
const HURRY_MS = 1_000

/** A running service. */
export interface Service {
  readonly baseUrl: string
  /** where it listens */
  readonly port: number
  /** the separate URL of `/metrics`; undefined if it is served together with everything else */
  readonly metricsUrl: string | undefined
  readonly database: Database
  readonly policy: CurrentPolicy
  /** the route table that is served */
  readonly routes: readonly Route[]
  /** Reports 503 on /readyz, lets requests in flight finish, then closes everything. */
  stop(options?: StopOptions): Promise<void>
}

export interface StopOptions {
  /** does not wait for requests in flight */
  readonly now?: boolean
  /** keeps idle connections open for so many milliseconds, because another request may be on its way */
  readonly idleMs?: number
  /**
   * accepts new connections for so many milliseconds after /readyz started to report 503, so that a load balancer
   * notices
   */
  readonly lingerMs?: number
}

/** The other workers of this node, which share its port and its limits. */
export interface Siblings {
  /** the metrics of all workers, this one included */
  readonly metrics: () => Promise<string>
}

export interface ServiceParts {
  readonly config: Config
  readonly opened: ServiceLogin
  readonly log: Logger
  readonly siblings?: Siblings
  /** replaces layers; for tests that watch a single layer */
  readonly composeLayers?: (layers: Layers) => Layers
}

/** Starts a service on an opened database. Throws StartError if something is wrong with the installation. */
export const startService = async (parts: ServiceParts): Promise<Service> => {
  const closing = createClosing()
  try {
    return await start(parts, closing)
  } catch (error) {
    // the error of the start matters, not that of closing
    await closing.closeAll().catch((err: unknown) => parts.log.warn({ err }, 'closing after a failed start failed'))
    throw error
  }
}

const start = async (
  { config, opened, log, siblings, composeLayers = (layers) => layers }: ServiceParts,
  closing: Closing,
): Promise<Service> => {
  const metrics = createMetrics()

  const data = await openData({ config, opened, metrics, log }, closing)

  const { rules, policy, watch, live: livePolicy } = await openPolicy({ data, metrics, log }, closing)
  const visits = await openVisits({ config, data, metrics, log }, closing)
  const redirects = openPublicLinks({ config, opened, data, watch, live: visits.live, metrics, log }, closing)

  const { signingKeyFile: file } = config
  // a configured file that is missing may be a mistyped path: the node must not silently get a key of its own
  const key = config.signingKeyNamed
    ? await loadSigningKey(file)
    : await loadOrMakeSigningKey(file, () => log.info({ file }, 'a new signing key was made: there was none'))
  const identity = await createIdentity({
    database: data.database,
    key,
    audience: config.jwtAudience,
    externalIssuer: config.externalIssuer,
    onIssuerFault: (err) => log.error({ err }, 'the token issuer could not be reached'),
    onResetFault: (err) => log.error({ err }, 'a requested link for a new password could not be made'),
  })
  const mailer = config.smtp && (await openMailer(config.smtp, log))
  closing.add(async () => mailer?.settled())
  closing.add(async () => identity.own?.passwordReset.settled())
  const inWorker = siblings !== undefined
  const runtime = openLayers({ config, data, policy, identity, metrics, log, inWorker, composeLayers }, closing)
  const keeper = keepLog({
    database: data.pool,
    key,
    onCheckpoint: (checkpoint) => log.info({ checkpoint }, 'the decision log was signed'),
    onFault: (err) =>
      log.error({ err }, 'the decision log could not be signed, or its next partitions could not be added'),
  })
  closing.add(keeper.stop)
  const jobs = runJobs({
    database: data.pool,
    jobs: backgroundWork(data.pool, config),
    observer: metrics.jobs,
    onFault: (job, err) => log.error({ err, job }, 'background work failed; it runs again when it is due'),
  })
  closing.add(jobs.stop)

  let draining = false
  const readiness = readinessOf({ database: data.database, policy, draining: () => draining })
  const exposed = siblings === undefined ? metrics : { text: siblings.metrics, contentType: metrics.contentType }
  // half of the pool is left for everything else
  const searches = createGate({
    atOnce: Math.max(1, Math.floor(config.databasePoolSize / 2)),
    withinMs: SEARCH_MS,
    refuse: () => deadlineExceeded({ detail: 'Too many searches are in progress.' }),
  })
  // an analysis keeps the processor busy all the time
  const analyses = createGate({
    atOnce: 1,
    withinMs: config.requestDeadlineMs / 2,
    refuse: () => deadlineExceeded({ detail: 'Another analysis of the policy is in progress.' }),
  })
  const sendMail = mailer?.send
  const table = {
    database: data.database,
    redirects,
    rules,
    policy,
    identity,
    signingKey: key,
    visits,
    live: visits.live,
    livePolicy,
    sendMail,
    readiness,
    searches,
    analyses,
  }
  const http = await openHttp({ config, runtime, tracing: data.tracing, metrics, exposed, table, log }, closing)
  log.info(
    { url: http.baseUrl, metrics_url: http.metricsUrl, revision: policy.status().revision },
    siblings === undefined ? 'listening' : 'a worker is ready',
  )

  const hurry = new AbortController()
  const { baseUrl, port, metricsUrl, routes } = http
  return {
    baseUrl,
    port,
    metricsUrl,
    routes,
    database: data.database,
    policy,
    stop: async ({ now = false, idleMs = 0, lingerMs = 0 } = {}) => {
      draining = true
      for (const each of [visits.live, livePolicy]) each.endAll()
      if (now) {
        hurry.abort()
        closing.hurry(HURRY_MS)
      } else if (lingerMs > 0) await pause(lingerMs, undefined, { signal: hurry.signal }).catch(() => undefined)
      await http.endConnections({ now, idleMs })
      await closing.closeAll()
    },
  }
}

const openMailer = async (smtp: NonNullable<Config['smtp']>, log: Logger) => {
  const { createMailer } = await import('./identity/mailer.js')
  return createMailer({
    ...smtp,
    onFault: (fault) => log.error(fault, 'a mail could not be sent'),
  })
}
