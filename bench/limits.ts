import { createRateLimiter } from '../src/layers/1-gateway/rate-limit.js'
import { koaContext } from '../test/support/koa-context.js'
import { measure, type Subject } from './measure.js'
import type { Suite } from './report.js'

const REQUESTS = 50_000

/** The cost of counting one request: through koa-ratelimit, and directly, as for a redirect. */
export const limitSuite = async (): Promise<Suite> => {
  const limiter = createRateLimiter({ quotas: { anonymous: { points: 1_000_000_000, seconds: 60 } } })
  const counted = (name: string, require: typeof limiter.require): Subject => {
    const ctx = koaContext()
    return {
      name,
      batch: REQUESTS,
      run: async () => {
        for (let i = 0; i < REQUESTS; i += 1) await require(ctx, 'anonymous', '192.0.2.1')
      },
    }
  }
  const measured = await measure([
    counted('by the counter', limiter.requireForRedirect),
    counted('through koa-ratelimit', limiter.require),
  ])
  return { title: 'One request is counted', baseline: 'by the counter', unit: 'µs', measured }
}
