import { setTimeout as pause } from 'node:timers/promises'

import type { Logger } from 'pino'

import type { Config } from './config.js'
import type { Database } from './database/database.js'
import type { ServiceLogin } from './database/open.js'
import type { Layers } from './layers/layers.js'
import { createMetrics } from './metrics/metrics.js'
import type { CurrentPolicy } from './policy/current.js'
import { readinessOf } from './routes/readiness.js'
import { createClosing, type Closing } from './start/closing.js'
import { openData } from './start/open-data.js'
import { openHttp, type Http } from './start/open-http.js'
import { openIdentity } from './start/open-identity.js'
import { openLayers } from './start/open-layers.js'
import { openPolicy } from './start/open-policy.js'
import { openPublicLinks } from './start/open-public-links.js'
import { openVisits } from './start/open-visits.js'
import { startUpkeep } from './start/start-upkeep.js'

/** How long each resource may take to close where the service stops at once: what is hung does not end by itself. */
const HURRY_MS = 1_000

/** A running service. */
export interface Service extends Omit<Http, 'endConnections'> {
  readonly database: Database
  readonly policy: CurrentPolicy
  /** Reports 503 on /readyz, lets requests in flight finish, then closes everything. */
  stop(options?: StopOptions): Promise<void>
}

interface StopOptions {
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

interface ServiceParts {
  readonly config: Config
  readonly opened: ServiceLogin
  readonly log: Logger
  /** the other workers of this node, which share its port and its limits: the metrics of all, this one included */
  readonly siblings?: { readonly metrics: () => Promise<string> }
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
  const base = { config, data, metrics, log }

  const { rules, policy, watch, live: livePolicy } = await openPolicy(base, closing)
  const visits = await openVisits(base, closing)
  const redirects = openPublicLinks({ ...base, opened, watch, live: visits.live }, closing)

  const { identity, signingKey, sendMail } = await openIdentity(base, closing)
  const inWorker = siblings !== undefined
  const runtime = openLayers({ ...base, policy, identity, inWorker, composeLayers }, closing)
  startUpkeep({ ...base, signingKey }, closing)

  let draining = false
  const readiness = readinessOf({ database: data.database, policy, draining: () => draining })
  const exposed = siblings === undefined ? metrics : { text: siblings.metrics, contentType: metrics.contentType }
  const table = {
    database: data.database,
    redirects,
    rules,
    policy,
    identity,
    signingKey,
    visits,
    live: visits.live,
    livePolicy,
    sendMail,
    readiness,
  }
  const http = await openHttp({ ...base, runtime, exposed, table }, closing)
  log.info(
    { url: http.baseUrl, metrics_url: http.metricsUrl, revision: policy.status().revision },
    siblings === undefined ? 'listening' : 'a worker is ready',
  )

  const hurry = new AbortController()
  const { endConnections, ...served } = http
  return {
    ...served,
    database: data.database,
    policy,
    stop: async ({ now = false, idleMs = 0, lingerMs = 0 } = {}) => {
      draining = true
      for (const each of [visits.live, livePolicy]) each.endAll()
      if (now) {
        hurry.abort()
        closing.hurry(HURRY_MS)
      } else if (lingerMs > 0) await pause(lingerMs, undefined, { signal: hurry.signal }).catch(() => undefined)
      await endConnections({ now, idleMs })
      await closing.closeAll()
    },
  }
}
