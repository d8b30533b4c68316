import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import type { Redis } from 'ioredis'
import type { Context, Next } from 'koa'
import koaRatelimit from 'koa-ratelimit'

import { Refusal } from '../../domain/refusal.js'
import type { LimiterObserver } from '../../metrics/metrics.js'
import { aside } from './aside.js'
import { createCounter } from './rate-limit-store.js'
import type { Quota } from './rate-limit-store.js'

export type { Quota } from './rate-limit-store.js'

export const QUOTA_NAMES = ['anonymous', 'user', 'sign_in', 'invite'] as const
export type QuotaName = (typeof QUOTA_NAMES)[number]

export interface RateLimiter {
  /**
   * Counts this request against the quota's bucket. Sets `RateLimit` and `RateLimit-Policy`
   * (draft-ietf-httpapi-ratelimit-headers); over the quota throws `rate_limited` (429) with an integer `Retry-After` of
   * at least 1 second. A request may be counted against several quotas; one that is `off` counts nothing.
   */
  require(ctx: Context, quota: QuotaName, bucket: string): Promise<void>
  /** Counts a request that has no Context, against the same bucket. */
  admit(quota: QuotaName, bucket: string): Promise<Admission>
  /**
   * Lets a request that `admit` counted go on as every other: `require` of that quota and bucket answers what was
   * counted then, and counts the request no second time.
   */
  passOn(req: IncomingMessage, admission: Admission): void
  /** true while every quota is counted for all processes together */
  shared(): boolean
}

/** What `admit` counted. */
export interface Admission {
  readonly quota: QuotaName
  readonly bucket: string
  /** false where the request is over the quota */
  readonly allowed: boolean
  /** undefined where the quota is off */
  readonly standing: Standing | undefined
  /** the headers that `require` would set, as names and values */
  readonly headers: readonly string[]
}

export interface RateLimiterOptions {
  readonly quotas: Readonly<Record<QuotaName, Quota | undefined>>
  /** shared counters; without it each process counts for itself */
  readonly redis?: Redis | undefined
  /** true in a worker process: the primary counts for all workers of the node */
  readonly inWorker?: boolean
  readonly observer?: LimiterObserver
}

/** What a caller is told of one quota: requests left, and seconds until they are given anew. */
export interface Standing {
  readonly quota: Quota
  readonly left: number
  readonly seconds: number
}
interface Counted {
  readonly allowed: boolean
  readonly standing: Standing
}

/** One koa-ratelimit for each quota, each over counters of its own. */
export const createRateLimiter = ({ quotas, ...parts }: RateLimiterOptions): RateLimiter => {
  const limits = {
    anonymous: createLimit('anonymous', quotas.anonymous, parts),
    user: createLimit('user', quotas.user, parts),
    sign_in: createLimit('sign_in', quotas.sign_in, parts),
    invite: createLimit('invite', quotas.invite, parts),
  }
  const passedOn = new WeakMap<IncomingMessage, Admission>()
  /**
   * What was counted of a request before it had a Context; once, for another count of the same quota is another one.
   */
  const countedBefore = ({ req }: Context, quota: QuotaName, bucket: string): Counted | undefined => {
    const admission = passedOn.get(req)
    if (admission?.standing === undefined || admission.quota !== quota || admission.bucket !== bucket) return undefined
    passedOn.delete(req)
    return { allowed: admission.allowed, standing: admission.standing }
  }
  return {
    require: async (ctx, name, bucket) => {
      const limit = limits[name]
      if (limit === undefined) return
      const { allowed, standing } = countedBefore(ctx, name, bucket) ?? (await limit.count(ctx, bucket))
      const standings = (ctx.state.standings ??= new Map<QuotaName, Standing>())
      const before = standings.get(name)
      // Of two buckets of one quota (an address and an account) the caller is told of the one that is nearer its end.
      if (before === undefined || standing.left < before.left || !allowed) standings.set(name, standing)
      const headers = rateLimitHeaders(standings)
      ctx.set(headers)
      if (!allowed) {
        parts.observer?.refused(name)
        throw new Refusal('rate_limited', { headers: { ...headers, 'Retry-After': String(standing.seconds) } })
      }
    },
    admit: (name, bucket) =>
      limits[name]?.admit(bucket) ??
      Promise.resolve({ quota: name, bucket, allowed: true, standing: undefined, headers: [] }),
    passOn: (req, admission) => {
      passedOn.set(req, admission)
    },
    shared: () => {
      const counted = Object.values(limits).filter((limit) => limit !== undefined)
      return counted.length > 0 && counted.every((limit) => limit.shared())
    },
  }
}

const createLimit = (
  name: QuotaName,
  quota: Quota | undefined,
  { redis, inWorker, observer }: Omit<RateLimiterOptions, 'quotas'>,
) => {
  if (quota === undefined) return undefined
  const counter = createCounter({
    namespace: name,
    quota,
    redis,
    inWorker,
    ...(observer ? { onStoreError: observer.storeFailed } : {}),
  })
  // koa-ratelimit's Redis driver calls one command of its `db`, and gives back what it answers: [left before this
  // request, reset, total]. Ours counts exactly; reset is in milliseconds from now, read below. A Map satisfies the
  // declared type.
  const db = Object.assign(new Map<never, never>(), {
    ratelimiter: async (key: string): Promise<readonly [number, number, number]> => {
      const { allowed, left, resetMs } = await counter.consume(key.slice(name.length + 1))
      return [allowed ? left + 1 : 0, resetMs, quota.points]
    },
  })
  const middleware = koaRatelimit({
    driver: 'redis',
    db,
    namespace: name,
    max: quota.points,
    duration: quota.seconds * 1_000,
    id: (ctx) => String(ctx.state.bucket),
    headers: { remaining: 'left', reset: 'reset', total: 'total' },
    errorMessage: 'rate_limited',
  })
  const count = async (ctx: Context, bucket: string): Promise<Counted> => {
    let allowed = false
    const pass: Next = async () => {
      allowed = true
    }
    const { view, written } = aside(ctx, { bucket: bucketKey(bucket) })
    await middleware(view, pass)
    return {
      allowed,
      standing: { quota, left: Number(written.get('left')), seconds: secondsOf(Number(written.get('reset'))) },
    }
  }
  const policy = policyText(name, quota)
  const admit = (bucket: string): Promise<Admission> =>
    counter.consume(bucketKey(bucket)).then(({ allowed, left, resetMs }) => {
      const seconds = secondsOf(resetMs)
      return {
        quota: name,
        bucket,
        allowed,
        standing: { quota, left, seconds },
        headers: ['RateLimit-Policy', policy, 'RateLimit', standingText(name, left, seconds)],
      }
    })
  return { count, admit, shared: counter.shared }
}

/** Addresses and ids stay readable to whoever operates the counters; whatever is longer has a key of fixed size. */
const bucketKey = (bucket: string): string =>
  bucket.length > 0 && bucket.length <= 64 ? bucket : createHash('sha256').update(bucket).digest('base64url')

const secondsOf = (resetMs: number): number => Math.max(1, Math.ceil(resetMs / 1_000))

const policyText = (name: QuotaName, { points, seconds }: Quota): string => `"${name}";q=${points};w=${seconds}`
const standingText = (name: QuotaName, left: number, seconds: number): string => `"${name}";r=${left};t=${seconds}`

const rateLimitHeaders = (standings: ReadonlyMap<QuotaName, Standing>) => {
  const list = [...standings]
  return {
    'RateLimit-Policy': list.map(([name, { quota }]) => policyText(name, quota)).join(', '),
    RateLimit: list.map(([name, { left, seconds }]) => standingText(name, left, seconds)).join(', '),
  }
}
