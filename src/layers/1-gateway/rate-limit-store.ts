import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Requests in a span of seconds. */
export interface Quota {
  readonly points: number
  readonly seconds: number
}

/** Where a bucket stands after a request was counted. */
export interface Count {
  /** false where the request is over the quota */
  readonly allowed: boolean
  /** requests that are left in this span */
  readonly left: number
  /** milliseconds until the span is over */
  readonly resetMs: number
}

export interface Counter {
  readonly consume: (bucket: string) => Promise<Count>
  /** gives one counted request back */
  readonly refund: (bucket: string) => Promise<void>
  /** true while Redis counts, for all processes together */
  readonly shared: () => boolean
}

export interface CounterOptions {
  /** keeps the counts of this quota apart from those of every other */
  readonly namespace: string
  readonly quota: Quota
  readonly redis?: Redis | undefined
  /** counts where several processes of one node count together; rejects where that place does not answer */
  readonly together?: Counter['consume'] | undefined
  /** how many buckets are remembered in this process; beyond it the longest unused is forgotten */
  readonly maxBuckets?: number
  /** told of every request that a shared place could not count */
  readonly onStoreError?: () => void
}

/** How long a place that failed is left alone before one request tries it again, in milliseconds. */
const REST_MS = 1_000

/**
 * Counts requests of a bucket in fixed spans; exact under concurrency. With Redis all processes count together; while
 * it is away those of one node do, and where that fails too each process counts alone: a quota is never lifted.
 */
export const createCounter = ({
  namespace,
  quota,
  redis,
  together,
  maxBuckets = 100_000,
  onStoreError,
}: CounterOptions): Counter => {
  const options = { keyPrefix: `linkgate:${namespace}`, points: quota.points, duration: quota.seconds }
  const memory = new RateLimiterMemory(options)
  const alone = boundedMemory(memory, maxBuckets)
  const here = together === undefined ? alone : preferring(together, alone, onStoreError).consume
  if (redis === undefined)
    return { consume: here, refund: async (bucket) => void (await memory.reward(bucket)), shared: () => false }
  const inRedis = new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
  const { consume: count, rests } = preferring((bucket) => consume(inRedis, bucket), here, onStoreError)
  return {
    consume: count,
    refund: async (bucket) => void (await inRedis.reward(bucket)),
    shared: () => redis.status === 'ready' && !rests(),
  }
}

/** Counts in the first place, and in the second while the first fails and rests from that. */
const preferring = (first: Counter['consume'], second: Counter['consume'], onError?: () => void) => {
  let restsUntil = 0
  const count: Counter['consume'] = async (bucket) => {
    const now = performance.now()
    if (now < restsUntil) return second(bucket)
    // Where the first place failed before, this request alone tries it; the others go on without waiting for the
    // outcome.
    if (restsUntil > 0) restsUntil = now + REST_MS
    try {
      const counted = await first(bucket)
      restsUntil = 0
      return counted
    } catch {
      onError?.()
      restsUntil = performance.now() + REST_MS
      return second(bucket)
    }
  }
  return { consume: count, rests: () => restsUntil > 0 }
}

/**
 * rate-limiter-flexible's memory has no bound, so an attacker with many addresses could fill it. The longest unused
 * buckets are forgotten; to make it forget their own, an attacker needs `maxBuckets` others, each with a quota.
 */
const boundedMemory = (limiter: RateLimiterMemory, maxBuckets: number) => {
  const recent = new LRUCache<string, true>({
    max: maxBuckets,
    dispose: (_, bucket, reason) => {
      if (reason === 'evict') void limiter.delete(bucket)
    },
  })
  return (bucket: string): Promise<Count> => {
    recent.set(bucket, true)
    return consume(limiter, bucket)
  }
}

/** The library rejects with its result where the quota is used up, and with an error where it could not count. */
const consume = (limiter: RateLimiterMemory | RateLimiterRedis, bucket: string): Promise<Count> =>
  limiter.consume(bucket).then(
    ({ remainingPoints, msBeforeNext }) => ({ allowed: true, left: remainingPoints, resetMs: msBeforeNext }),
    (reason: unknown) => {
      if (reason instanceof RateLimiterRes) return { allowed: false, left: 0, resetMs: reason.msBeforeNext }
      throw reason
    },
  )
