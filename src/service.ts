import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import type { Logger } from 'pino'

import { createApp } from './app.js'
import { keepLog } from './audit/keep-log.js'
import { createRecorder } from './audit/recorder.js'
import { PACKAGE_ROOT } from './config.js'
import type { Config } from './config.js'
import type { Database } from './database/database.js'
import type { OpenedDatabase } from './database/open.js'
import { openListener } from './database/listener.js'
import { openReplicaAt } from './database/open-replica.js'
import { openPool } from './database/pool.js'
import type { FinishedRequest } from './domain/finished-request.js'
import { answerBrokenRequest } from './http/broken-request.js'
import { followConnections } from './http/drain.js'
import { listen, portOf, urlOf } from './http/listen.js'
import { openMetricsServer } from './http/metrics-server.js'
import { redirectLane } from './http/redirect-lane.js'
import { loadSigningKey } from './identity/signing-key.js'
import { createIdentity } from './identity/identity.js'
import { accountBucket } from './layers/1-gateway/account-bucket.js'
import { createGateway } from './layers/1-gateway/gateway.js'
import { createRateLimiter } from './layers/1-gateway/rate-limit.js'
import { openRedis } from './layers/1-gateway/redis.js'
import { requireScope } from './layers/1-gateway/scope.js'
import { verifierOf } from './layers/1-gateway/verifier-of.js'
import { requireRole } from './layers/2-endpoint/require-role.js'
import { requirePermission } from './layers/3-object/require-permission.js'
import { createAnnouncer } from './layers/4-data/announcer.js'
import { LINKS_CHANNEL, EVERY_CODE, STALE_MS, createLinkCache } from './layers/4-data/link-cache.js'
import { findLinkInReplica, findLinksTogether } from './layers/4-data/public-links.js'
import { createRecentChanges } from './layers/4-data/recent-changes.js'
import { findRepeat } from './layers/4-data/repeat.js'
import type { Layers, Route } from './layers/route.js'
import { logRequests } from './log/log-requests.js'
import { whenNew } from './log/when-new.js'
import { createMetrics } from './metrics/metrics.js'
import { createCurrentPolicy } from './policy/current.js'
import type { CurrentPolicy } from './policy/current.js'
import { installDefaultPolicy, loadPolicyRules } from './policy/installation.js'
import { loadSnapshot, timeOfRevision } from './policy/store.js'
import { POLICY_CHANNEL, watchPolicy } from './policy/watch.js'
import { readinessOf } from './routes/readiness.js'
import { routeTable } from './routes/table.js'
import { openTracing } from './tracing/tracing.js'
import { VERSION } from './version.js'

/** A running service. */
export interface Service {
  readonly baseUrl: string
  /** where it listens */
  readonly port: number
  /** where `/metrics` is served apart; undefined where it is served beside everything else */
  readonly metricsUrl: string | undefined
  readonly database: Database
  readonly policy: CurrentPolicy
  /** the route table that is served */
  readonly routes: readonly Route[]
  /** Answers 503 on /readyz, lets requests in flight finish, then closes everything. */
  stop(options?: StopOptions): Promise<void>
}

export interface StopOptions {
  /** does not wait for requests in flight */
  readonly now?: boolean
  /** keeps connections for so long on which another request may be on its way, in milliseconds */
  readonly idleMs?: number
  /**
   * goes on taking connections for so long after /readyz began to say 503, in milliseconds: until who asks it has heard
   */
  readonly lingerMs?: number
}

/** The other workers of this node, which serve the same port. Limits are counted with them. */
export interface Siblings {
  /** the metrics of all workers, this one included */
  readonly metrics: () => Promise<string>
}

export interface ServiceParts {
  readonly config: Config
  readonly opened: OpenedDatabase
  readonly log: Logger
  readonly siblings?: Siblings
  /** replaces layers; for tests that watch one layer alone */
  readonly composeLayers?: (layers: Layers) => Layers
}

/**
 * Starts listening on an opened database. Throws StartError for whatever is wrong with the installation, before it
 * listens.
 */
export const startService = async ({
  config,
  opened,
  log,
  siblings,
  composeLayers = (layers) => layers,
}: ServiceParts): Promise<Service> => {
  const metrics = createMetrics()
  const pool = openPool({
    connection: opened.service,
    size: config.databasePoolSize,
    pooled: config.databasePooled,
    deadlineMs: config.requestDeadlineMs,
    onIdleError: (err) => log.warn({ err }, 'an idle database connection was lost'),
    observer: metrics.pool,
  })
  metrics.readFrom({ pool: pool.stats })
  const tracing =
    config.tracing &&
    (await openTracing({
      ...config.tracing,
      version: VERSION,
      onFault: whenNew((err) => log.warn({ err }, 'spans could not be sent; requests go on')),
    }))
  const database = tracing?.database(pool) ?? pool
  const redis =
    config.redisUrl === undefined
      ? undefined
      : await openRedis(
          config.redisUrl,
          whenNew((err) =>
            err === null
              ? log.info('Redis counts for all nodes')
              : log.warn({ err }, 'Redis is away; limits are counted in this process'),
          ),
        )
  const closing: (() => Promise<unknown>)[] = [
    async () => tracing?.close(),
    () => database.close(),
    async () => redis?.disconnect(),
  ]
  const closeAll = async () => {
    for (const close of closing.toReversed()) await close()
  }

  try {
    const rules = await loadPolicyRules(PACKAGE_ROOT)
    if (await installDefaultPolicy(database, rules, PACKAGE_ROOT)) log.info('the default policy is loaded')
    const policy = createCurrentPolicy(
      metrics.timeLoads(loadSnapshot(database, rules)),
      metrics.timeDecisions(timeOfRevision(database)),
    )
    metrics.readFrom({ policy: policy.status })
    await policy.refresh()
    const watch = watchPolicy({
      policy,
      onLook: whenNew((err) => {
        if (err !== null) log.error({ err }, 'the policy could not be loaded; the last good one stays in force')
      }),
    })
    const deaf = whenNew((err) => {
      if (err !== null)
        log.warn(
          { err },
          'nobody hears what the database notifies; policy edits are looked for at intervals, and no redirect is answered from memory',
        )
    })
    const listener = openListener({
      connection: opened.listener,
      announce: 'announce_changed_links',
      notify: (channel, payload) => database.run({ text: 'select pg_notify($1, $2)', values: [channel, payload] }),
      channels: { [POLICY_CHANNEL]: watch.look, [LINKS_CHANNEL]: (code) => forget(code) },
      onUp: () => {
        deaf(null)
        forget(EVERY_CODE)
        watch.look()
      },
      onFault: deaf,
    })
    const find = findLinksTogether(database)
    const replica =
      config.replicaDatabaseUrl === undefined
        ? undefined
        : openReplicaAt({
            url: config.replicaDatabaseUrl,
            primary: opened.service,
            size: config.databasePoolSize,
            pooled: config.databasePooled,
            staleMs: STALE_MS,
            onChange: whenNew((err) =>
              err === null
                ? log.info('redirects are read from the replica')
                : log.warn({ err }, 'redirects are read from the primary'),
            ),
          })
    if (replica) metrics.readFrom({ replica: replica.stats })
    const changes = createRecentChanges(STALE_MS)
    const cache = createLinkCache({
      find: replica === undefined ? find : findLinkInReplica({ find, replica, changes }),
      listener,
      size: config.redirectCacheSize,
    })
    metrics.readFrom({ cache: cache.stats })
    // noted first: a replica must not be asked for what the cache has just let go
    const forget = (code: string) => {
      changes.note(code)
      cache.forget(code)
    }
    // past the traces: it is no part of the request after which it happens to come
    const announcer = createAnnouncer(pool)
    const changed = (code: string) => {
      forget(code)
      announcer.soon()
    }
    closing.push(
      () => listener.stop(),
      async () => watch.stop(),
      async () => replica?.close(),
      () => announcer.stop(),
    )

    const installationKey = await loadSigningKey(config.signingKeyFile)
    const identity = await createIdentity({
      database,
      key: installationKey,
      audience: config.jwtAudience,
      externalIssuer: config.externalIssuer,
      onIssuerFault: (err) => log.error({ err }, 'the keys of the token issuer could not be had'),
    })
    const mailer =
      config.smtp &&
      (await import('./identity/invitation-mail.js')).invitationMailer({
        ...config.smtp,
        onFault: (fault) => log.error(fault, 'an invitation could not be sent by e-mail'),
      })
    closing.push(async () => mailer?.settled())
    const limiter = createRateLimiter({
      quotas: config.quotas,
      redis,
      inWorker: siblings !== undefined,
      observer: metrics.limiter,
    })
    metrics.readFrom({ limitsShared: limiter.shared })
    const recorder = createRecorder({
      database,
      onBatch: metrics.observeBatch,
      onFault: (err, lost) => log.error({ err, lost }, 'decisions could not be recorded; they wait'),
    })
    metrics.readFrom({ recorder: recorder.stats })
    closing.push(() => recorder.close())
    const keeper = keepLog({
      database,
      key: installationKey,
      onCheckpoint: (checkpoint) => log.info({ checkpoint }, 'the decision log was signed'),
      onFault: (err) => log.error({ err }, 'the decision log could not be signed, or its next months be made'),
    })
    closing.push(() => keeper.stop())
    const ownLayers: Layers = {
      gateway: createGateway({
        limiter,
        tokens: verifierOf(identity),
        callers: identity.callers,
        trustedProxyHops: config.trustedProxyHops,
      }),
      countAccount: async (ctx, account) => limiter.require(ctx, 'sign_in', accountBucket(account)),
      scope: requireScope,
      endpoint: requireRole,
      object: requirePermission,
      data: (rule, context) => rule.open(context),
      repeat: findRepeat({ database, key: installationKey.privateKey }),
      policy,
      record: recorder.record,
      recordsPublicReads: config.auditPublicReads,
      count: metrics.countDecision,
    }
    const layers = composeLayers(tracing?.layers(ownLayers) ?? ownLayers)

    const exposed = siblings === undefined ? metrics : { text: siblings.metrics, contentType: metrics.contentType }
    const metricsServer = config.metrics && (await openMetricsServer(exposed, config.metrics))
    closing.push(async () => metricsServer?.close())
    // a missing Host is refused as every other fault is, by require-one-host.ts, not by node without a word
    const server = createServer({
      keepAliveTimeout: 65_000,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
    })
    server.maxConnections = config.maxConnections
    const endConnections = followConnections(server)
    let closed: Promise<void> | undefined
    await listen(server, { host: config.host, port: config.port, setting: 'PORT' })
    const baseUrl = config.baseUrl ?? urlOf(server)
    let draining = false
    const hurried = new AbortController()
    const routes = routeTable({
      database,
      cache: { find: cache.find, changed },
      rules,
      policy,
      identity,
      baseUrl,
      metrics: metricsServer === undefined ? exposed : undefined,
      sendInvitation: mailer?.send,
      readiness: readinessOf({ database, policy, draining: () => draining }),
    })
    const logRequest = logRequests(log)
    const observe = (request: FinishedRequest) => {
      metrics.observeRequest(request)
      logRequest(request)
    }
    const secure = baseUrl.startsWith('https:')
    server.on('clientError', answerBrokenRequest(secure, observe))
    const whole = createApp({
      routes,
      layers,
      log,
      deadlineMs: config.requestDeadlineMs,
      secure,
      corsOrigins: config.corsOrigins,
      onDisagreement: metrics.countDisagreement,
      trace: tracing?.requests,
      observe,
    }).callback()
    const following = routes.find(({ method, path }) => method === 'get' && path === '/:code')
    // what is traced, and what a test replaces the layers of, goes the long way
    const short = following !== undefined && tracing === undefined && layers === ownLayers
    server.on(
      'request',
      short
        ? redirectLane(
            {
              routes,
              route: following,
              find: cache.find,
              limiter,
              layers,
              deadlineMs: config.requestDeadlineMs,
              trustedProxyHops: config.trustedProxyHops,
              secure,
              corsOrigins: config.corsOrigins,
              observe,
            },
            whole,
          )
        : whole,
    )
    // an Expect that is not 100-continue may be ignored (RFC 9110 §10.1.1); node would answer it 417, past every header
    // of ours
    server.on('checkExpectation', whole)
    log.info(
      { url: baseUrl, metrics_url: metricsServer?.url, revision: policy.status().revision },
      siblings === undefined ? 'listening' : 'a worker is ready',
    )

    return {
      baseUrl,
      port: portOf(server),
      metricsUrl: metricsServer?.url,
      database,
      policy,
      routes,
      stop: async ({ now = false, idleMs = 0, lingerMs = 0 } = {}) => {
        draining = true
        if (now) hurried.abort()
        else if (lingerMs > 0) await pause(lingerMs, undefined, { signal: hurried.signal }).catch(() => undefined)
        await endConnections({ now, idleMs })
        await (closed ??= closeAll())
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}
