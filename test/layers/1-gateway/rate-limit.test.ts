import { expect } from 'chai'

import { Refusal } from '../../../src/domain/refusal.js'
import { createRateLimiter, type QuotaName, type RateLimiter } from '../../../src/layers/1-gateway/rate-limit.js'
import { koaContext } from '../../support/koa-context.js'
import { until } from '../../support/until.js'

const quotas = {
  anonymous: { points: 5, seconds: 60 },
  user: { points: 600, seconds: 60 },
  sign_in: { points: 2, seconds: 30 },
  invite: { points: 1, seconds: 60 },
}

type Way = 'require' | 'requireForRedirect'

/** One request: its context, and the refusal where there was one. */
const request = async (limiter: RateLimiter, quota: QuotaName, bucket: string, way: Way = 'require') => {
  const ctx = koaContext()
  const refusal = await limiter[way](ctx, quota, bucket).then(
    () => null,
    (error: unknown) => error,
  )
  if (refusal !== null && !(refusal instanceof Refusal)) throw refusal
  return { ctx, refusal }
}

describe('the rate limit', () => {
  it('lets exactly 5 of 200 parallel requests pass at 5, in one tick', async () => {
    const limiter = createRateLimiter({ quotas })
    const answers = await Promise.all(Array.from({ length: 200 }, () => request(limiter, 'anonymous', '192.0.2.1')))
    expect(answers.filter(({ refusal }) => refusal === null)).to.have.length(5)
  })

  it('counts several buckets in parallel, each exactly', async () => {
    const limiter = createRateLimiter({ quotas })
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => ({
        bucket: i % 10,
        ...(await request(limiter, 'anonymous', `192.0.2.${i % 10}`)),
      })),
    )
    for (let bucket = 0; bucket < 10; bucket++) {
      expect(
        answers.filter((answer) => answer.bucket === bucket && answer.refusal === null),
        `bucket ${bucket}`,
      ).to.have.length(5)
    }
  })

  it('tells the policy and what is left, in the form of the IETF draft', async () => {
    const limiter = createRateLimiter({ quotas })
    const { ctx } = await request(limiter, 'user', '7')
    expect(ctx.state.headers.get('RateLimit-Policy')).to.equal('"user";q=600;w=60')
    expect(ctx.state.headers.get('RateLimit')).to.equal('"user";r=599;t=60')
  })

  it('answers 429 with the same headers and an integer Retry-After of at least 1', async () => {
    const limiter = createRateLimiter({ quotas })
    await request(limiter, 'sign_in', 'a')
    await request(limiter, 'sign_in', 'a')
    const { ctx, refusal } = await request(limiter, 'sign_in', 'a')
    expect(refusal).to.include({ code: 'rate_limited', status: 429 })
    expect(refusal?.headers['Retry-After']).to.match(/^[1-9]\d*$/)
    expect(Number(refusal?.headers['Retry-After'])).to.be.within(1, 30)
    expect(ctx.state.headers.get('RateLimit-Policy')).to.equal('"sign_in";q=2;w=30')
    expect(ctx.state.headers.get('RateLimit')).to.equal('"sign_in";r=0;t=30')
  })

  it('answers a redirect as every other request, and counts both together', async () => {
    const refused: string[] = []
    const observer = { refused: (quota: string) => void refused.push(quota), storeFailed: () => undefined }
    const answersOf = async (ways: readonly Way[]) => {
      const limiter = createRateLimiter({ quotas, observer })
      const answers = []
      for (const way of ways) {
        const { ctx, refusal } = await request(limiter, 'anonymous', '192.0.2.1', way)
        const { code, status, headers } = refusal ?? {}
        answers.push({ sent: ctx.state.headers.list, code, status, headers })
      }
      return answers
    }
    const seven = (way: Way): readonly Way[] => Array.from({ length: 7 }, () => way)
    const mixed = seven('require').map((way, i): Way => (i % 2 === 0 ? way : 'requireForRedirect'))
    const expected = await answersOf(seven('require'))
    expect(expected.map(({ status }) => status)).to.deep.equal([...Array(5).fill(undefined), 429, 429])
    expect(await answersOf(seven('requireForRedirect'))).to.deep.equal(expected)
    expect(await answersOf(mixed)).to.deep.equal(expected)
    expect(refused).to.deep.equal(Array(6).fill('anonymous'))
  })

  it('lets exactly 5 of 200 parallel redirects pass at 5, in one tick', async () => {
    const limiter = createRateLimiter({ quotas })
    const redirect = () => request(limiter, 'anonymous', '192.0.2.1', 'requireForRedirect')
    const answers = await Promise.all(Array.from({ length: 200 }, redirect))
    expect(answers.filter(({ refusal }) => refusal === null)).to.have.length(5)
  })

  it('gives back what it counted, and says no more of that quota', async () => {
    const limiter = createRateLimiter({ quotas })
    for (let i = 0; i < 5; i++) {
      const { ctx, refusal } = await request(limiter, 'sign_in', 'a')
      expect(refusal).to.equal(null)
      await limiter.refund(ctx, 'sign_in', 'a')
      expect(ctx.response.headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy')
      await request(limiter, 'user', '7')
      expect(ctx.state.standings?.has('sign_in')).to.equal(false)
    }
  })

  it('keeps quotas apart: using one up leaves the others', async () => {
    const limiter = createRateLimiter({ quotas })
    for (let i = 0; i < 5; i++) await request(limiter, 'sign_in', '192.0.2.1')
    expect((await request(limiter, 'anonymous', '192.0.2.1')).refusal).to.equal(null)
    expect((await request(limiter, 'user', '192.0.2.1')).refusal).to.equal(null)
  })

  it('keeps limiters apart', async () => {
    for (let i = 0; i < 5; i++) await request(createRateLimiter({ quotas }), 'sign_in', 'a')
    expect((await request(createRateLimiter({ quotas }), 'sign_in', 'a')).refusal).to.equal(null)
  })

  it('counts a request against two buckets of one quota and tells of the one that is nearer its end', async () => {
    const limiter = createRateLimiter({ quotas })
    await request(limiter, 'anonymous', 'account')
    await request(limiter, 'anonymous', 'account')
    const ctx = koaContext()
    await limiter.require(ctx, 'anonymous', 'account')
    await limiter.require(ctx, 'anonymous', '192.0.2.1')
    await limiter.require(ctx, 'user', '7')
    expect(ctx.state.headers.get('RateLimit')).to.equal('"anonymous";r=2;t=60, "user";r=599;t=60')
    expect(ctx.state.headers.get('RateLimit-Policy')).to.equal('"anonymous";q=5;w=60, "user";q=600;w=60')
  })

  it('counts nothing and tells nothing where the quota is off', async () => {
    const limiter = createRateLimiter({ quotas: { ...quotas, user: undefined } })
    for (let i = 0; i < 1_000; i++) await request(limiter, 'user', '7')
    const { ctx, refusal } = await request(limiter, 'user', '7')
    expect(refusal).to.equal(null)
    expect(ctx.response.headers).to.deep.equal({})
  })

  it('takes buckets of any text and length, each its own', async () => {
    const limiter = createRateLimiter({ quotas })
    const buckets = [
      '',
      ':',
      'a'.repeat(10_000),
      `${'a'.repeat(9_999)}b`,
      '__proto__',
      'https://issuer.example 7',
      '\u0000',
      '2001:db8:0:0::/64',
    ]
    for (const bucket of buckets) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => request(limiter, 'anonymous', bucket)))
      expect(
        answers.filter(({ refusal }) => refusal === null),
        JSON.stringify(bucket.slice(0, 30)),
      ).to.have.length(5)
    }
  })

  it('gives the quota anew when its span is over', async () => {
    const limiter = createRateLimiter({ quotas: { ...quotas, anonymous: { points: 1, seconds: 1 } } })
    expect((await request(limiter, 'anonymous', 'a')).refusal).to.equal(null)
    expect((await request(limiter, 'anonymous', 'a')).refusal).to.not.equal(null)
    await until('the span ended', async () => (await request(limiter, 'anonymous', 'a')).refusal === null)
  })
})
