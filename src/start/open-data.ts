import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import type { ServiceLogin } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { openRedis } from '../layers/1-gateway/redis.js'
import { logOutages } from '../log/on-change.js'
import type { Metrics } from '../metrics/metrics.js'
import { openTracing, type Tracing } from '../tracing/tracing.js'
import { VERSION } from '../version.js'
import type { Closing } from './closing.js'

interface Data {
  /** with a span for each query of a traced request */
  readonly database: Database
  /** the same without tracing, for background work */
  readonly pool: Database
  /** the policy's own connection: an edit is in force soon, however many requests wait for one of the pool */
  readonly policyReads: Database
  readonly redis: Redis | undefined
  readonly tracing: Tracing | undefined
}

/** What every later step of a start builds on. */
export interface Base {
  readonly config: Config
  readonly data: Data
  readonly metrics: Metrics
  readonly log: Logger
}

interface DataParts extends Omit<Base, 'data'> {
  readonly opened: ServiceLogin
}

/** Opens the pool, Redis and tracing. Does not connect yet: each reports its own outages. */
export const openData = async ({ config, opened, metrics, log }: DataParts, closing: Closing): Promise<Data> => {
  const connecting = {
    connection: opened.service,
    pooled: config.databasePooled,
    deadlineMs: config.requestDeadlineMs,
    onIdleError: (err: Error) => log.warn({ err }, 'an idle database connection was lost'),
  }
  const pool = openPool({ ...connecting, size: config.databasePoolSize, observer: metrics.pool })
  closing.add(pool.close)
  const policyReads = openPool({ ...connecting, size: 1 })
  closing.add(policyReads.close)
  metrics.readFrom({ pool: pool.stats })

  const onRedis = logOutages(
    log,
    'Redis is away; limits are counted by this node alone',
    'Redis counts the limits of all nodes',
    { atStart: true },
  )
  const redis = config.redisUrl === undefined ? undefined : await openRedis(config.redisUrl, onRedis)
  closing.add(() => redis?.disconnect())

  const tracing =
    config.tracing &&
    (await openTracing({
      ...config.tracing,
      version: VERSION,
      onChange: logOutages(log, 'spans could not be sent; requests are not affected', 'spans are sent again'),
    }))
  closing.add(async () => tracing?.close())
  return { database: tracing?.database(pool) ?? pool, pool, policyReads, redis, tracing }
}
