import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import {
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible'

import type { Quota } from '../../domain/quota.js'

/** The state of a bucket after a request was counted. */
export interface Count {
  /** false if the request is over the quota */
  readonly allowed: boolean
  /** requests left in this window */
  readonly left: number
  /** milliseconds until the window ends */
  readonly resetMs: number
}

interface CounterOptions {
  /** separates the counts of this quota from those of others */
  readonly namespace: string
  readonly quota: Quota
  readonly redis?: Redis | undefined
  /** true in a worker process: the primary counts for all workers of the node (`countForWorkers`) */
  readonly inWorker?: boolean | undefined
  /** how many buckets this process keeps; beyond that, the least recently used one is evicted */
  readonly maxBuckets?: number
  /** called for every request that Redis could not count */
  readonly onStoreError?: () => void
}

const MAX_BUCKETS = 100_000
/** Timeout of a worker's call to its primary, in milliseconds. Then the worker counts alone. */
const PRIMARY_TIMEOUT_MS = 200
/** How long `shared` is false after a Redis failure, in milliseconds. */
const FAULT_SHOWN_MS = 1_000

/**
 * Counts requests per bucket in fixed windows, exactly even under concurrency. With Redis, all nodes count together.
 * While Redis is down, each node counts for itself; a worker whose primary does not answer counts alone. So a quota is
 * never lifted.
 */
export const createCounter = ({
  namespace,
  quota,
  redis,
  inWorker = false,
  maxBuckets = MAX_BUCKETS,
  onStoreError = () => undefined,
}: CounterOptions) => {
  const options = optionsOf(namespace, quota)
  const memory = new BoundedMemory(options, maxBuckets)
  const node = inWorker ? countedByPrimary(options, memory) : memory
  let failedAt = Number.NEGATIVE_INFINITY
  const onFailure = () => {
    failedAt = performance.now()
    onStoreError()
  }
  const limiter =
    redis === undefined
      ? node
      : new RateLimiterRedis({
          ...options,
          storeClient: redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: observed(node, onFailure),
        })
  return {
    consume: (bucket: string): Promise<Count> =>
      limiter.consume(bucket).then(
        ({ remainingPoints, msBeforeNext }) => ({ allowed: true, left: remainingPoints, resetMs: msBeforeNext }),
        // The library rejects with its result if the quota is used up.
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return { allowed: false, left: 0, resetMs: reason.msBeforeNext }
          throw reason
        },
      ),
    /** Gives one counted request back. A bucket never has more left than its quota. */
    refund: async (bucket: string): Promise<void> => {
      const { consumedPoints } = await limiter.reward(bucket)
      // Below zero, the request was counted in an earlier window: the current window gets no bonus for it.
      if (consumedPoints < 0) await limiter.penalty(bucket)
    },
    /** true while Redis counts for all nodes */
    shared: (): boolean => redis?.status === 'ready' && performance.now() - failedAt > FAULT_SHOWN_MS,
  }
}

/** Makes the primary of a cluster count for all workers of the node. Call it once, before the first worker starts. */
export const countForWorkers = (
  quotas: Readonly<Record<string, Quota | undefined>>,
  { maxBuckets = MAX_BUCKETS } = {},
): void => {
  const limiters = Object.entries(quotas).flatMap(([namespace, quota]) => {
    if (quota === undefined) return []
    const options = optionsOf(namespace, quota)
    return [[options.keyPrefix, new BoundedMemory(options, maxBuckets)] as const]
  })
  // By default the library creates an unbounded RateLimiterMemory for each prefix, and has no option to replace it.
  Object.assign(new RateLimiterClusterMaster(), { _rateLimiters: Object.fromEntries(limiters) })
}

type Options = ReturnType<typeof optionsOf>
const optionsOf = (namespace: string, { points, seconds }: Quota) => ({
  keyPrefix: `linkgate:${namespace}`,
  points,
  duration: seconds,
})

const countedByPrimary = (options: Options, insuranceLimiter: RateLimiterMemory) =>
  new RLWrapperTimeouts({
    limiter: new RateLimiterCluster({ ...options, timeoutMs: PRIMARY_TIMEOUT_MS }),
    timeoutMs: PRIMARY_TIMEOUT_MS,
    insuranceLimiter,
  })

/** Makes the limiter call `onConsume` before it counts a request. */
const observed = <Limiter extends Pick<RateLimiterMemory, 'consume'>>(limiter: Limiter, onConsume: () => void) => {
  const consume = limiter.consume.bind(limiter)
  return Object.assign(limiter, {
    consume: (...call: Parameters<typeof consume>) => {
      onConsume()
      return consume(...call)
    },
  })
}

/**
 * rate-limiter-flexible's memory store is unbounded, so an attacker with many addresses could fill it. This one evicts
 * the least recently used bucket. To get their own bucket evicted, an attacker needs `maxBuckets` others.
 */
class BoundedMemory extends RateLimiterMemory {
  readonly #maxBuckets: number
  /** Created with the first bucket: lru-cache allocates all its slots at once, and most quotas are rarely used. */
  #recent: LRUCache<string | number, true> | undefined

  constructor(options: Options, maxBuckets: number) {
    super(options)
    this.#maxBuckets = maxBuckets
  }

  override consume(...call: Parameters<RateLimiterMemory['consume']>) {
    this.#keep(call[0])
    return super.consume(...call)
  }

  override reward(...call: Parameters<RateLimiterMemory['reward']>) {
    this.#keep(call[0])
    return super.reward(...call)
  }

  #keep(bucket: string | number): void {
    this.#recent ??= new LRUCache({
      max: this.#maxBuckets,
      dispose: (_, forgotten, reason) => {
        if (reason === 'evict') void this.delete(forgotten)
      },
    })
    this.#recent.set(bucket, true)
  }
}
