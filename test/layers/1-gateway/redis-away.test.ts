import { once } from 'node:events'
import { createServer } from 'node:net'

import { expect } from 'chai'

import { openRedis } from '../../../src/layers/1-gateway/redis.js'
import { onChange } from '../../../src/log/on-change.js'
import { openConnection } from '../../support/connection.js'
import { testDatabase, type TestDatabase } from '../../support/database.js'
import { keepLog } from '../../support/log.js'
import { onDatabase, startNode } from '../../support/node.js'
import { requireBuilt } from '../../support/program.js'
import { hasRedis, startRedis, type RedisServer } from '../../support/redis.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { madeSigningKey } from '../../support/signing-key.js'
import { until } from '../../support/until.js'

const QUOTA = 20
/** An answer takes at most 300 ms without Redis; the rest is room for a busy machine. */
const PATIENCE_MS = 3_000

;(hasRedis ? describe : describe.skip)('the limits of two services whose Redis goes away (needs redis-server)', () => {
  let db: TestDatabase
  let redis: RedisServer
  let one: TestService
  let other: TestService
  let admin: TestUser
  const kept = keepLog()

  before(async () => {
    redis = await startRedis()
    db = await testDatabase()
    // callers say who they are, so that each test has a bucket of its own
    const environment = {
      REDIS_URL: redis.url,
      RATE_LIMIT_ANONYMOUS: `${QUOTA}/600`,
      TRUSTED_PROXY_HOPS: '1',
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    one = await startTestService({ db, environment, log: kept.log })
    other = await startTestService({ db, environment })
    admin = await one.addUser('admin')
    await untilShared('192.0.2.1')
  })
  after(async () => {
    await one?.stop()
    await other?.stop()
    await redis?.kill()
  })

  /** Asks all at once: how many passed, how many were refused, and how long the slowest took. */
  const burst = async (service: TestService, address: string, times: number) => {
    const answers = await Promise.all(
      Array.from({ length: times }, async () => {
        const asked = performance.now()
        const { status } = await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': address } })
        return { status, ms: performance.now() - asked }
      }),
    )
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    const slowest = Math.round(Math.max(...answers.map(({ ms }) => ms)))
    expect(slowest).to.be.below(PATIENCE_MS)
    return { passed: count(404), refused: count(429), slowest }
  }
  const isShared = async (service: TestService) =>
    (await service.request('GET', '/metrics', { token: admin.token })).text.includes('\nlinkgate_limiter_shared 1\n')
  /** Until both count in Redis again: whoever asks next after a rest tries it. */
  const untilShared = async (address: string) => {
    for (const service of [one, other])
      await until('requests are counted in Redis', async () => {
        await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': address } })
        return isShared(service)
      })
  }
  // one after another: on a busy machine some of a burst may wait for Redis too long, and be counted elsewhere
  const expectShared = async (address: string) => {
    const statuses = []
    for (let i = 0; i < QUOTA * 1.5; i += 1) {
      const service = i < QUOTA / 2 ? one : other
      statuses.push((await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': address } })).status)
    }
    const expected = Array.from({ length: QUOTA * 1.5 }, (_, i) => (i < QUOTA ? 404 : 429))
    expect(statuses).to.deep.equal(expected)
  }
  const expectEachAlone = async (address: string, how: string) => {
    for (const service of [one, other]) {
      const { passed, refused, slowest } = await burst(service, address, QUOTA * 3)
      process.stdout.write(`      (${QUOTA * 3} at once, ${how}: the slowest answer took ${slowest} ms)\n`)
      expect([passed, refused]).to.deep.equal([QUOTA, QUOTA * 2])
      expect(await isShared(service)).to.equal(false)
    }
  }

  it('are one while it is there', () => expectShared('192.0.2.10'))

  it('hold in each process while it is frozen, at once, and are one again when it goes on', async () => {
    redis.freeze()
    await expectEachAlone('192.0.2.20', 'Redis frozen')
    redis.thaw()
    await untilShared('192.0.2.21')
    await expectShared('192.0.2.22')
  })

  it('hold in each process while it is dead, at once, and are one again when it is back, empty', async () => {
    await redis.kill()
    await expectEachAlone('192.0.2.30', 'Redis dead')
    // back before anybody tried to connect again, it was never away
    await kept.line('Redis is away; limits are counted by this node alone')
    await redis.start()
    await untilShared('192.0.2.31')
    await expectShared('192.0.2.32')
  })

  it('are told of once: that Redis is away, and for which reason; and that it counts again', () => {
    const told = kept
      .lines()
      .filter((line) => line.includes('Redis'))
      .map((line) => /"err":\{[^}]*?"message":"([^"]+)"/.exec(line)?.[1] ?? /"msg":"([^"]+)"/.exec(line)?.[1])
    expect(told.at(-1)).to.equal('Redis counts the limits of all nodes')
    expect(told.filter((text, i) => text === told[i - 1])).to.deep.equal([])
    expect(told.length, 'it was away').to.be.above(1)
  })

  it('hold over the workers of a node while it is frozen', async () => {
    requireBuilt()
    const node = await startNode({
      ...onDatabase(db.service, db.owner),
      REDIS_URL: redis.url,
      RATE_LIMIT_ANONYMOUS: `${QUOTA}/600`,
      TRUSTED_PROXY_HOPS: '1',
      WORKERS: '2',
    })
    const callers = Array.from({ length: 8 }, () => openConnection(node.baseUrl, {}))
    const ask = async (address: string) => {
      const answers = await Promise.all(
        callers.flatMap((caller) =>
          Array.from({ length: 5 }, () =>
            caller.request('GET', '/absent', { headers: { 'X-Forwarded-For': address } }),
          ),
        ),
      )
      return answers.filter(({ status }) => status === 404).length
    }
    try {
      expect(await ask('192.0.2.40')).to.equal(QUOTA)
      redis.freeze()
      const asked = performance.now()
      expect(await ask('192.0.2.41')).to.equal(QUOTA)
      // five requests of a connection come one after another, and only the first may wait for Redis
      expect(performance.now() - asked).to.be.below(PATIENCE_MS)
      expect(await ask('192.0.2.41')).to.equal(0)
    } finally {
      redis.thaw()
      for (const caller of callers) caller.close()
      await node.stop()
    }
  })
})

describe('the Redis client of a server that accepts connections and never answers', () => {
  it('is told of once, however often it tries again', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('it listens on no port')
    const told: unknown[] = []
    const redis = await openRedis(
      `redis://127.0.0.1:${address.port}`,
      onChange((fault) => told.push(fault)),
    )
    let attempts = 0
    redis.on('close', () => (attempts += 1))
    await until('it has tried again several times', () => attempts > 3)
    redis.disconnect()
    server.close()
    expect(told).to.have.length(1)
  })
})
