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

/** Where a bucket stands after a request was counted. */
export interface Count {
  /** false where the request is over the quota */
  readonly allowed: boolean
  /** requests that are left in this window */
  readonly left: number
  /** milliseconds until the window is over */
  readonly resetMs: number
}

export interface Counter {
  readonly consume: (bucket: string) => Promise<Count>
  /** Gives one counted request back; a bucket never has more left than its quota. */
  readonly refund: (bucket: string) => Promise<void>
  /** true while Redis counts for all nodes */
  readonly shared: () => boolean
}

export interface CounterOptions {
  /** keeps the counts of this quota apart from those of every other */
  readonly namespace: string
  readonly quota: Quota
  readonly redis?: Redis | undefined
  /** true in a worker process: its primary counts for all workers of the node (`countForWorkers`) */
  readonly inWorker?: boolean | undefined
  /** how many buckets this process remembers; beyond it the least recently used one is forgotten */
  readonly maxBuckets?: number
  /** called for every request that Redis could not count */
  readonly onStoreError?: () => void
}

const MAX_BUCKETS = 100_000
/** How long a worker waits for its primary before it counts alone, in milliseconds. */
const PRIMARY_TIMEOUT_MS = 200
/** How long after a fault `shared` says that Redis does not count, in milliseconds. */
const FAULT_SHOWN_MS = 1_000

/**
 * Counts requests of a bucket in fixed windows; exact under concurrency. Redis counts for all nodes where it is set.
 * While it is away each node counts for itself, and a worker whose primary does not answer counts alone: a quota is
 * never lifted.
 */
export const createCounter = ({
  namespace,
  quota,
  redis,
  inWorker = false,
  maxBuckets = MAX_BUCKETS,
  onStoreError = () => undefined,
}: CounterOptions): Counter => {
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
    consume: (bucket) =>
      limiter.consume(bucket).then(
        ({ remainingPoints, msBeforeNext }) => ({ allowed: true, left: remainingPoints, resetMs: msBeforeNext }),
        // The library rejects with its result where the quota is used up.
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return { allowed: false, left: 0, resetMs: reason.msBeforeNext }
          throw reason
        },
      ),
    refund: async (bucket) => {
      const { consumedPoints } = await limiter.reward(bucket)
      // Below zero the refunded request was counted in a window that is over: the new one gets no bonus from it.
      if (consumedPoints < 0) await limiter.penalty(bucket)
    },
    shared: () => redis?.status === 'ready' && performance.now() - failedAt > FAULT_SHOWN_MS,
  }
}

/** Call it once in the primary of a cluster, before the first worker starts: counts for all workers of this node. */
export const countForWorkers = (
  quotas: Readonly<Record<string, Quota | undefined>>,
  { maxBuckets = MAX_BUCKETS } = {},
): void => {
  const limiters = Object.entries(quotas).flatMap(([namespace, quota]) => {
    if (quota === undefined) return []
    const options = optionsOf(namespace, quota)
    return [[options.keyPrefix, new BoundedMemory(options, maxBuckets)] as const]
  })
  // The library would make a RateLimiterMemory without a bound for each prefix that a worker names, and has no option
  // for another one.
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

/** The same limiter; says when it counts a request. */
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
 * rate-limiter-flexible's memory has no bound, so an attacker with many addresses could fill it. Here the least
 * recently used bucket is forgotten; to have their own forgotten, an attacker needs `maxBuckets` others.
 */
class BoundedMemory extends RateLimiterMemory {
  readonly #maxBuckets: number
  /** Made for the first bucket: lru-cache allocates room for all of them at once, and most quotas are seldom used. */
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
