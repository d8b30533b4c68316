import { expect } from 'chai'

import { STALE_MS } from '../../src/redirects/link-cache.js'
import { WITNESS } from './log-truth.js'
import { openConnection } from './connection.js'
import { valueOf } from './exposition.js'
import { halfRequest } from './half-request.js'
import { at, textAt } from './json.js'
import { startOwnServer, tellsProcesses, type OwnServer } from './own-server.js'
import { openWire } from './proxy.js'
import { random } from './random.js'
import { freshCode } from './records.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from './service.js'
import { until } from './until.js'

export interface TroubleOptions {
  /** how often the database is stopped and started */
  readonly stops: number
  /** how long backends are terminated, in milliseconds */
  readonly stormMs: number
  /** the service's own deadline behind a database that is frozen or slow */
  readonly deadlineMs: number
  readonly tell?: (figures: Readonly<Record<string, number>>) => void
}

/** How long cached redirects go on: longer than what may be stale while the database answers. */
const OUTAGE_MS = 2 * STALE_MS
/** How much later than on an idle machine an answer may come. */
const SLACK_MS = 3_000
/** Two seconds on an idle machine, which the tests of faults print. */
const RECOVERY_MS = 8_000

const since = (start: number): number => performance.now() - start

const expectAway = ({ status, headers, text }: Pick<TestResponse, 'status' | 'headers' | 'text'>) => {
  expect(status, text).to.equal(503)
  expect(headers.get('Retry-After'), text).to.match(/^[1-9]\d*$/)
}

/** What holds while the database is away, hurt, frozen or slow, and how soon all is well after it. */
export const describeDatabaseTrouble = ({
  stops,
  stormMs,
  deadlineMs,
  tell = () => undefined,
}: TroubleOptions): void => {
  describe('a database in trouble', function () {
    this.timeout(60_000 + 10 * stormMs)
    let server: OwnServer
    let service: TestService
    let admin: TestUser
    let user: TestUser
    before(async function () {
      if (!tellsProcesses) return this.skip()
      server = await startOwnServer({ settings: { fsync: 'off' } })
      await server.ask(WITNESS)
      service = await startTestService({
        db: server.database,
        environment: {
          DATABASE_POOL_SIZE: '4',
          REQUEST_DEADLINE_MS: '5000',
          REDIRECT_OUTAGE_SECONDS: String(OUTAGE_MS / 1_000),
        },
      })
      admin = await service.addUser('admin')
      user = await service.addUser('editor')
    })
    after(async () => {
      await service?.stop()
      await server?.remove()
    })
    const create = (of = service, token = user.token) =>
      of.request('POST', '/links', { token, json: { target: 'https://example.com/' } })
    /** Until nobody waits and every connection is idle: one that was leaked never is. */
    const poolIsWhole = (of: TestService) =>
      until('nobody waits for a connection and all are idle', async () => {
        const { text } = await of.request('GET', '/metrics')
        const [waiting, idle, open] = ['waiting', 'idle_connections', 'connections'].map((each) =>
          valueOf(text, `linkgate_pool_${each}`),
        )
        return waiting === 0 && idle === open
      })

    it('killed: 503 with Retry-After, cached redirects go on; started again: recovers by itself', async () => {
      const invalidations = async () =>
        valueOf((await service.request('GET', '/metrics')).text, 'linkgate_cache_invalidations_total')
      const before = await invalidations()
      const code = textAt((await create()).json, 'code')
      // by who made it, and once it was announced: what is remembered after that is nobody's business any more
      await until('the new link is announced', async () => (await invalidations()) >= before + 2)
      for (let round = 0; round < stops; round += 1) {
        await untilRemembered(service, code)
        // it answers nobody from here on; that it is gone altogether may take as long as memory is good for
        await server.signal('SIGKILL')
        const stopped = performance.now()
        const [redirect, change, list, ready, alive] = await Promise.all([
          service.request('GET', `/${code}`),
          create(),
          service.request('GET', '/links', { token: user.token }),
          service.request('GET', '/readyz'),
          service.request('GET', '/healthz'),
        ])
        expect(redirect.status, 'a remembered redirect').to.equal(302)
        for (const answer of [change, list, ready]) expectAway(answer)
        expect(at(ready.json, 'checks', 'database')).to.equal('away')
        expect(alive.status).to.equal(200)
        const last = await until(
          'the cached redirect is too old',
          async () => {
            const answer = await service.request('GET', `/${code}`)
            return answer.status !== 302 && answer
          },
          { withinMs: OUTAGE_MS + SLACK_MS },
        )
        const remembered = since(stopped)
        expect(remembered).to.be.greaterThan(STALE_MS)
        expectAway(last)

        await server.kill()
        await server.start()
        const started = performance.now()
        const recovery = async (what: string, ask: () => Promise<TestResponse>, status: number) => {
          await until(what, async () => (await ask()).status === status, { withinMs: RECOVERY_MS })
          return since(started)
        }
        const [redirects, changes, readiness] = await Promise.all([
          recovery('a redirect', () => service.request('GET', `/${code}`), 302),
          recovery('a new link', create, 201),
          recovery('readiness', () => service.request('GET', '/readyz'), 200),
        ])
        tell({ round, remembered, redirects, changes, readiness })
      }
      await poolIsWhole(service)
    })

    it('backends terminated in a storm: no crash, no connection leaked, and no creation done twice', async () => {
      const { pick } = random(9)
      const callers = Array.from({ length: 8 }, () => openConnection(service.baseUrl))
      const made: string[] = []
      const odd: string[] = []
      const statuses = new Map<number, number>()
      let kills = 0
      const end = performance.now() + stormMs
      // on a busy machine it takes longer until enough were killed
      const isOver = () => performance.now() >= end && kills > stormMs / 100 && statuses.has(503)
      const code = textAt((await create()).json, 'code')
      const calling = callers.map(async ({ request }) => {
        while (!isOver()) {
          const id = freshCode('storm')
          const headers = { Authorization: `Bearer ${user.token}`, 'X-Request-ID': id }
          const [method, path, json] = pick<readonly [string, string, unknown?]>([
            ['POST', '/links', { target: 'https://example.com/' }],
            ['POST', '/links', { target: 'https://example.com/' }],
            ['PATCH', `/links/${code}`, { target: `https://example.com/${id}` }],
            ['GET', '/links'],
            ['GET', `/links/${code}`],
            ['GET', '/links/export'],
          ])
          // an export that breaks off in the middle says so by its end alone
          const { status, headers: answered } = await request(method, path, {
            headers,
            ...(json === undefined ? {} : { json }),
          }).catch(() => ({ status: 0, headers: {} }))
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (method === 'POST' && status === 201) made.push(id)
          if (status === 503 && !('retry-after' in answered)) odd.push('503 without Retry-After')
          if (![200, 201, 503].includes(status) && !(status === 0 && path.endsWith('export')))
            odd.push(`${method} ${path}: ${status}`)
        }
      })
      const killing = async () => {
        while (!isOver()) {
          kills += (
            await server.ask(
              `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'linkgate_service'`,
            )
          ).length
          await new Promise((resolve) => {
            setTimeout(resolve, 15)
          })
        }
      }
      await Promise.all([...calling, killing()])
      for (const caller of callers) caller.close()
      expect(odd).to.deep.equal([])
      const written = await server.ask<{ request_id: string; count: string }>(
        `select request_id, count(*) from witnessed
          where operation = 'insert' and request_id like 'storm-%' group by 1`,
      )
      expect(written.filter(({ count }) => count !== '1')).to.deep.equal([])
      const committed = new Set(written.map(({ request_id }) => request_id))
      expect(made.filter((id) => !committed.has(id))).to.deep.equal([])

      // what was killed last is noticed by the next question
      for (let i = 0; i < 8; i += 1) await service.request('GET', '/links', { token: user.token })
      expect((await create()).status).to.equal(201)
      await poolIsWhole(service)
      // a backend ends a little later than its connection
      await until('there are four connections at most, one that loads the policy, and one that listens', async () => {
        const text = `select count(*)::int from pg_stat_activity where usename = 'linkgate_service'`
        const [open] = await server.ask<{ count: number }>(text)
        return (open?.count ?? 0) <= 6
      })
      tell({ kills, acknowledged: made.length, unavailable: statuses.get(503) ?? 0 })
    })

    it('frozen (every process of it): every answer comes within the deadline; thawed: recovers by itself', async () => {
      const own = await startTestService({
        db: server.database,
        environment: { DATABASE_POOL_SIZE: '4', REQUEST_DEADLINE_MS: String(deadlineMs) },
      })
      try {
        const token = await own.tokenFor(admin)
        expect((await create(own, token)).status).to.equal(201)
        const code = freshCode('frozen')
        const json = { code, target: 'https://example.com/' }
        const headers = { Connection: 'close' }
        const late = await halfRequest(own.baseUrl, { path: '/links', token, json, headers })
        // by then the layers have decided about the one before
        for (let i = 0; i < 3; i += 1) expect((await create(own, token)).status).to.equal(201)
        await server.signal('SIGSTOP')
        let figures
        try {
          expect(await late.finish()).to.equal(503)
          figures = await everyAnswerInTime(own, token, deadlineMs)
        } finally {
          await server.signal('SIGCONT')
        }
        const thawed = performance.now()
        await until(
          'changes and readiness',
          async () => (await create(own, token)).status === 201 && (await own.request('GET', '/readyz')).status === 200,
          { withinMs: RECOVERY_MS },
        )
        tell({ ...figures, recovered: since(thawed) })
        await poolIsWhole(own)
        expect(await server.ask('select from links where code = $1', [code]), 'changed after the 503').to.deep.equal([])
      } finally {
        await own.stop()
      }
    })

    it('behind two seconds of delay: every answer comes within the deadline, liveness at once', async () => {
      const wire = await openWire(server.service)
      const own = await startTestService({
        db: { ...server.database, service: wire.connection, listener: wire.connection },
        environment: { DATABASE_POOL_SIZE: '4', REQUEST_DEADLINE_MS: String(deadlineMs) },
      })
      try {
        const token = await own.tokenFor(admin)
        expect((await create(own, token)).status).to.equal(201)
        wire.delay(1_000)
        tell({ ...(await everyAnswerInTime(own, token, deadlineMs)) })
        wire.mend()
        await until('a new link', async () => (await create(own, token)).status === 201, { withinMs: RECOVERY_MS })
      } finally {
        wire.mend()
        await own.stop()
        await wire.close()
      }
    })
  })
}

/** Follows a link until it is answered from memory: until somebody hears what the database notifies again. */
const untilRemembered = async (service: TestService, code: string) => {
  const hits = async () => valueOf((await service.request('GET', '/metrics')).text, 'linkgate_cache_hits_total')
  const before = await hits()
  await until(`/${code} is answered from the cache`, async () => {
    expect((await service.request('GET', `/${code}`)).status).to.equal(302)
    return (await hits()) > before
  })
}

/** Twenty requests at once, more than there are connections, and liveness asked all the while. */
const everyAnswerInTime = async (service: TestService, token: string, deadlineMs: number) => {
  const start = performance.now()
  const timed = async (method: string, path: string, json?: unknown) => {
    const answer = await service.request(method, path, { token, json })
    const took = since(start)
    expect(took, `${method} ${path}`).to.be.lessThan(deadlineMs + SLACK_MS)
    if (answer.status === 503) expectAway(answer)
    else expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return { status: answer.status, took }
  }
  let over = false
  const isOver = () => over
  const beating = (async () => {
    let slowest = 0
    while (!isOver()) {
      const asked = performance.now()
      expect((await service.request('GET', '/healthz')).status).to.equal(200)
      slowest = Math.max(slowest, since(asked))
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
    return slowest
  })()
  const answers = await Promise.all([
    timed('GET', '/readyz'),
    ...Array.from({ length: 10 }, () => timed('POST', '/links', { target: 'https://example.com/' })),
    ...Array.from({ length: 10 }, () => timed('GET', '/links')),
  ])
  over = true
  const slowestBeat = await beating
  expect(slowestBeat, 'liveness').to.be.lessThan(SLACK_MS)
  return {
    slowest: Math.max(...answers.map(({ took }) => took)),
    slowestBeat,
    served: answers.filter(({ status }) => status < 300).length,
  }
}
