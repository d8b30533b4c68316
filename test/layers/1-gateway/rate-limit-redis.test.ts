import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'

import { expect } from 'chai'
import { Redis } from 'ioredis'

import { portOf } from '../../../src/http/listen.js'
import { createCounter } from '../../../src/layers/1-gateway/rate-limit-store.js'
import { REDIS_OPTIONS } from '../../../src/layers/1-gateway/redis.js'
import { freePort } from '../../support/proxy.js'
import { hasRedis, startRedis, type RedisServer } from '../../support/redis.js'
import { until } from '../../support/until.js'

const quota = { points: 5, seconds: 60 }
/** An answer takes at most 100 ms without Redis; the rest is room for a busy machine. */
const BOUND_MS = 2_000

const connect = async (port: number): Promise<Redis> => {
  const redis = new Redis({ port, host: '127.0.0.1', ...REDIS_OPTIONS })
  redis.on('error', () => {})
  await once(redis, 'ready')
  return redis
}

/** Runs the work and answers its result and how long it took, in milliseconds. */
const timed = async <T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> => {
  const start = performance.now()
  return { result: await work(), ms: performance.now() - start }
}

;(hasRedis ? describe : describe.skip)('counters shared through Redis (needs redis-server)', () => {
  let server: RedisServer
  const clients: Redis[] = []

  const connectTo = async ({ port }: Pick<RedisServer, 'port'>) => {
    const redis = await connect(port)
    clients.push(redis)
    return redis
  }
  const client = () => connectTo(server)
  const burst = (counter: ReturnType<typeof createCounter>, bucket: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => counter.consume(bucket)))

  beforeEach(async () => {
    server = await startRedis()
  })
  afterEach(async () => {
    for (const redis of clients.splice(0)) redis.disconnect()
    await server.kill()
  })

  it('are exact over two processes: 5 of 200 parallel requests pass at 5', async () => {
    const [one, two] = [
      createCounter({ namespace: 'user', quota, redis: await client() }),
      createCounter({ namespace: 'user', quota, redis: await client() }),
    ]
    const counts = (await Promise.all([burst(one, 'a', 100), burst(two, 'a', 100)])).flat()
    expect(counts.filter(({ allowed }) => allowed)).to.have.length(5)
    expect(counts.every(({ resetMs }) => resetMs > 0 && resetMs <= 60_000)).to.equal(true)
  })

  it('give one request back in Redis, and never more than the quota holds', async () => {
    const [one, two] = [
      createCounter({ namespace: 'user', quota, redis: await client() }),
      createCounter({ namespace: 'user', quota, redis: await client() }),
    ]
    await one.consume('a')
    await two.refund('a')
    expect((await one.consume('a')).left).to.equal(4)
    await one.refund('never counted')
    expect((await one.consume('never counted')).left).to.equal(4)
  })

  it('answer soon while Redis is frozen, and limit all the same', async () => {
    let failed = 0
    const onStoreError = () => {
      failed += 1
    }
    const counter = createCounter({ namespace: 'user', quota, redis: await client(), onStoreError })
    await counter.consume('a')
    server.freeze()
    const { result, ms } = await timed(() => burst(counter, 'a', 50))
    expect(ms).to.be.below(BOUND_MS)
    expect(result.filter(({ allowed }) => allowed)).to.have.length(5)
    const later = await timed(() => counter.consume('a'))
    expect(later.ms, 'a Redis that failed is left alone').to.be.below(BOUND_MS)
    expect(later.result.allowed).to.equal(false)
    expect(failed, 'each of them is reported').to.equal(51)
    expect(counter.shared()).to.equal(false)
    expect((await timed(() => counter.refund('a'))).ms).to.be.below(BOUND_MS)
    server.thaw()
  })

  it('answer within 300 ms when Redis is dead, and share again when it is back', async () => {
    const redis = await client()
    const counter = createCounter({ namespace: 'user', quota, redis })
    await server.kill()
    const { result, ms } = await timed(() => burst(counter, 'a', 50))
    expect(ms).to.be.below(BOUND_MS)
    expect(result.filter(({ allowed }) => allowed)).to.have.length(5)

    // not `once` of node:events: a try that came too early is an error, and is to be expected
    const ready = new Promise((resolve) => {
      redis.once('ready', resolve)
    })
    await server.start()
    await ready
    // Redis is new and empty, so the first request that reaches it is the first of its bucket there.
    await until('Redis is used again', async () => (await counter.consume('a')).allowed)
    const other = createCounter({ namespace: 'user', quota, redis: await client() })
    expect((await other.consume('a')).left).to.equal(3)
  })

  it('follow the address of Redis to another server when theirs becomes a replica, which takes no writes', async () => {
    const next = await startRedis()
    let port = server.port
    const address = createServer((near) => {
      const far = createConnection(port, '127.0.0.1')
      for (const [from, to] of [[near, far] as const, [far, near] as const])
        from
          .pipe(to)
          .on('error', () => undefined)
          .on('close', () => from.destroy())
    }).listen(0, '127.0.0.1')
    await once(address, 'listening')
    const redis = await connectTo({ port: portOf(address) })
    const counter = createCounter({ namespace: 'user', quota, redis })
    const other = createCounter({ namespace: 'user', quota, redis: await connectTo(next) })
    try {
      await counter.consume('a')
      // a failover: the old primary lives on, and so does the connection to it
      port = next.port
      // of nobody: what it would copy would be kept on disk
      await (await client()).replicaof('127.0.0.1', await freePort())
      await until('Redis is used again', async () => {
        await counter.consume('moved')
        return counter.shared()
      })
      await counter.consume('a')
      expect((await other.consume('a')).left).to.equal(3)
    } finally {
      redis.disconnect()
      await next.kill()
      address.close()
    }
  })
})
