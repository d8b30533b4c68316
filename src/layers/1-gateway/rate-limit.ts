import { createHash } from 'node:crypto'

import type { Redis } from 'ioredis'
import type { Context } from 'koa'
import koaRatelimit from 'koa-ratelimit'

import type { Quota } from '../../domain/quota.js'
import { Refusal } from '../../domain/refusal.js'
import { createCounter, type Count } from './rate-limit-store.js'

const QUOTA_NAMES = ['anonymous', 'user', 'sign_in', 'invite', 'link_password', 'link_passwords'] as const
export type QuotaName = (typeof QUOTA_NAMES)[number]

export interface RateLimiter {
  /**
   * Counts the request against a bucket of the quota. Sets `RateLimit` and `RateLimit-Policy`
   * (draft-ietf-httpapi-ratelimit-headers). Over the quota, throws `rate_limited` (429) with an integer `Retry-After`
   * of at least 1 second. A request may count against several quotas. Does nothing for a quota that is off.
   */
  require(ctx: Context, quota: QuotaName, bucket: string): Promise<void>
  /**
   * Counts a request that `require` has counted `times` more, because of its size. If fewer are left, counts nothing
   * and throws like `require`; the detail says so if the quota never allows a request of that size.
   */
  requireMore(ctx: Context, quota: QuotaName, bucket: string, times: number): Promise<void>
  /** The same as `require` for a redirect, without koa-ratelimit (docs/decisions/0034). */
  requireForRedirect(ctx: Context, quota: QuotaName, bucket: string): Promise<void>
  /** Undoes `require`: the request turned out to belong to another caller. */
  refund(ctx: Context, quota: QuotaName, bucket: string): Promise<void>
  /** true while Redis counts every quota for all processes */
  shared(): boolean
}

/** What the rate limiter reports. */
export interface LimiterObserver {
  /** a request was over the quota of this name; the names are a closed set */
  readonly refused: (quota: string) => void
  readonly storeFailed: () => void
}

interface RateLimiterOptions {
  /** a missing quota is off */
  readonly quotas: { readonly [Name in QuotaName]?: Quota | undefined }
  /** shared counters; without it each process counts for itself */
  readonly redis?: Redis | undefined
  /** true in a worker of a cluster: without Redis, or while it is down, the node's workers count together */
  readonly inWorker?: boolean
  readonly observer?: LimiterObserver
}

/** What the `RateLimit` headers tell the caller about one quota. */
export interface Standing {
  /** the quota, as `RateLimit-Policy` names it */
  readonly policy: string
  /** requests left */
  readonly left: number
  /** seconds until the quota resets, at least 1 */
  readonly seconds: number
}

/** One koa-ratelimit per quota, each with its own counter. Redirects use the counter directly. */
export const createRateLimiter = ({ quotas, ...parts }: RateLimiterOptions): RateLimiter => {
  const limits = QUOTA_NAMES.flatMap((name) => {
    const quota = quotas[name]
    return quota === undefined ? [] : [createLimit(name, quota, parts)]
  })
  const limitOf = new Map(limits.map((limit) => [limit.name, limit]))
  return {
    require: (ctx, name, bucket) => limitOf.get(name)?.require(ctx, bucketKey(bucket)) ?? DONE,
    requireMore: (ctx, name, bucket, times) => limitOf.get(name)?.requireMore(ctx, bucketKey(bucket), times) ?? DONE,
    requireForRedirect: (ctx, name, bucket) => limitOf.get(name)?.requireForRedirect(ctx, bucketKey(bucket)) ?? DONE,
    refund: (ctx, name, bucket) => limitOf.get(name)?.refund(ctx, bucketKey(bucket)) ?? DONE,
    shared: () => limits.length > 0 && limits.every((limit) => limit.shared()),
  }
}

const createLimit = (
  name: QuotaName,
  quota: Quota,
  { redis, inWorker = false, observer }: Omit<RateLimiterOptions, 'quotas'>,
) => {
  const counter = createCounter({
    namespace: name,
    quota,
    redis,
    inWorker,
    ...(observer ? { onStoreError: observer.storeFailed } : {}),
  })
  const policy = `"${name}";q=${quota.points};w=${quota.seconds}`
  const count = async (ctx: Context, bucket: string): Promise<Count> => {
    const counted = await counter.consume(bucket)
    tell(ctx, name, policy, counted)
    return counted
  }
  const overQuota = (resetMs: number, detail?: string): Refusal => {
    observer?.refused(name)
    const headers = { 'Retry-After': String(secondsUntil(resetMs)) }
    return new Refusal('rate_limited', { headers, ...(detail !== undefined && { detail }) })
  }
  const counting = new Map<string, Counting>()
  let requests = 0
  const options = {
    driver: 'redis' as const,
    db: storeOf(counting, quota),
    namespace: NAMESPACE,
    id: (ctx: Context) => String(ctx.state.limitKey),
    max: quota.points,
    duration: quota.seconds * 1_000,
    disableHeader: true,
    errorMessage: 'rate_limited',
    onLimited: (ctx: Context) => {
      throw overQuota(counting.get(ctx.state.limitKey ?? '')?.resetMs ?? 0)
    },
  }
  const limit = koaRatelimit(options)
  const require = async (ctx: Context, bucket: string): Promise<void> => {
    const key = String((requests += 1))
    counting.set(key, { count: () => count(ctx, bucket), resetMs: 0 })
    ctx.state.limitKey = key
    try {
      await limit(ctx, NEXT)
    } finally {
      counting.delete(key)
    }
  }
  return {
    name,
    require,
    requireMore: async (ctx: Context, bucket: string, times: number): Promise<void> => {
      const standing = ctx.state.standings?.get(name)
      if (standing !== undefined && standing.left < times)
        throw overQuota(standing.seconds * 1_000, whyNever(times + 1, quota))
      for (let i = 0; i < times; i += 1) await require(ctx, bucket)
    },
    requireForRedirect: async (ctx: Context, bucket: string): Promise<void> => {
      const { allowed, resetMs } = await count(ctx, bucket)
      if (!allowed) throw overQuota(resetMs)
    },
    refund: async (ctx: Context, bucket: string): Promise<void> => {
      await counter.refund(bucket)
      ctx.state.standings?.delete(name)
      tellStandings(ctx)
    },
    shared: counter.shared,
  }
}

/** Says of a request that counts as more than its quota that waiting does not help. */
const whyNever = (requests: number, { points, seconds }: Quota): string | undefined =>
  requests <= points
    ? undefined
    : `It counts as ${requests} requests, and ${points} in ${seconds} seconds are allowed: split it.`

const DONE = Promise.resolve()
const NEXT = () => DONE

/** The prefix of koa-ratelimit's keys. */
const NAMESPACE = 'request'

/** A request inside koa-ratelimit. Its key identifies the request, not the bucket, so concurrent requests don't mix. */
interface Counting {
  readonly count: () => Promise<Count>
  resetMs: number
}

/**
 * The `db` for koa-ratelimit's Redis driver, which needs only one command: count a request and return how many were
 * left before it, the reset time (seconds since 1970), and the quota. The Map satisfies the declared type.
 */
const storeOf = (counting: ReadonlyMap<string, Counting>, { points }: Quota) =>
  Object.assign(new Map<never, never>(), {
    ratelimiter: async (key: string): Promise<readonly [number, number, number]> => {
      const request = counting.get(key.slice(NAMESPACE.length + 1))
      if (request === undefined) throw new Error('koa-ratelimit asks about a request that is not counted')
      const { allowed, left, resetMs } = await request.count()
      request.resetMs = resetMs
      return [allowed ? left + 1 : 0, (Date.now() + resetMs) / 1_000, points]
    },
  })

/** Adds this quota's state to the headers of draft-ietf-httpapi-ratelimit-headers. */
const tell = (ctx: Context, name: QuotaName, policy: string, { allowed, left, resetMs }: Count): void => {
  const standings = (ctx.state.standings ??= new Map<QuotaName, Standing>())
  const before = standings.get(name)
  // If a request counts against two buckets of a quota (address and account), the headers show the fuller one.
  if (before === undefined || left < before.left || !allowed)
    standings.set(name, { policy, left, seconds: secondsUntil(resetMs) })
  tellStandings(ctx)
}

const tellStandings = ({ state }: Context): void => {
  const policies: string[] = []
  const limits: string[] = []
  for (const [name, { policy, left, seconds }] of state.standings ?? []) {
    policies.push(policy)
    limits.push(`"${name}";r=${left};t=${seconds}`)
  }
  if (limits.length === 0) {
    state.headers.delete('RateLimit-Policy')
    state.headers.delete('RateLimit')
    return
  }
  state.headers.set('RateLimit-Policy', policies.join(', '))
  state.headers.set('RateLimit', limits.join(', '))
}

const secondsUntil = (resetMs: number): number => Math.max(1, Math.ceil(resetMs / 1_000))

/** Addresses and ids stay readable for operators; longer names are hashed to a fixed size. */
const bucketKey = (bucket: string): string =>
  bucket.length > 0 && bucket.length <= 64 ? bucket : createHash('sha256').update(bucket).digest('base64url')
