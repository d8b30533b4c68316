import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'

import { expect } from 'chai'
import { pino } from 'pino'

import { createApp } from '../../src/app.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import type { FinishedRequest } from '../../src/domain/finished-request.js'
import { toId } from '../../src/domain/id.js'
import type { Link } from '../../src/domain/link.js'
import { listen, urlOf } from '../../src/http/listen.js'
import { redirectLane } from '../../src/http/redirect-lane.js'
import { createRateLimiter } from '../../src/layers/1-gateway/rate-limit.js'
import type { Layers } from '../../src/layers/route.js'
import { parseModel } from '../../src/policy/model.js'
import { parsePolicyCsv } from '../../src/policy/row-csv.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import type { Snapshot } from '../../src/policy/snapshot.js'
import { redirectRoute } from '../../src/routes/links.js'
import { openData, openEndpoint, openGateway, openObject } from '../support/open-layers.js'
import { openWire } from '../support/proxy.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import type { TestService, TestServiceOptions, TestUser } from '../support/service.js'
import { startTestService } from '../support/service.js'

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly names: readonly string[]
  readonly body: string
}

/**
 * The same links through the short way, and through the whole chain alone: replacing the layers, even by themselves,
 * closes the short way.
 */
describe('the short way of a redirect', () => {
  let short: TestService
  let long: TestService
  let editor: TestUser

  const environment = { RATE_LIMIT_ANONYMOUS: '1000/60' }

  before(async () => {
    short = await startTestService({ environment })
    long = await startTestService({ db: short.db, environment, composeLayers: (layers) => ({ ...layers }) })
    editor = await short.addUser('editor')
    await short.request('POST', '/links', {
      token: editor.token,
      json: { code: 'followed', target: 'https://example.com/a?b=c#d' },
    })
    for (const service of [short, long]) {
      while ((await metric(service, 'linkgate_cache_hits_total')) === 0) await send(service, 'GET', '/followed')
    }
  })
  after(async () => {
    await long.stop()
    await short.stop()
  })

  const send = (
    service: TestService,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const port = service.port
      request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        let body = ''
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            body += chunk
          })
          .on('end', () =>
            resolve({
              status: response.statusCode,
              headers: response.headers,
              names: response.rawHeaders
                .filter((_, i) => i % 2 === 0)
                .map((name) => name.toLowerCase())
                .toSorted(),
              body,
            }),
          )
      })
        .on('error', reject)
        .end()
    })
  const metric = async (service: TestService, line: string) =>
    Number(
      new RegExp(`^${line.replaceAll(/[{}"/.]/g, '\\$&')} (\\S+)$`, 'm').exec(
        (await send(service, 'GET', '/metrics')).body,
      )?.[1] ?? 0,
    )
  /** What differs from one answer to the next. */
  const steady = ({ headers: { date, 'x-request-id': id, ratelimit, ...headers }, body, ...answer }: Answer) => ({
    ...answer,
    headers,
    body: body.replaceAll(String(id), 'ID'),
    told: [typeof date, typeof id, ratelimit?.toString().replace(/r=\d+;t=\d+/, '')],
  })

  const ASKED: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['GET', '/followed', {}],
    ['HEAD', '/followed', {}],
    ['GET', '/followed?utm_source=x&y', {}],
    ['GET', '/followed', { 'X-Request-ID': 'my-own.id_1' }],
    ['GET', '/followed', { 'X-Request-ID': 'has spaces' }],
    ['GET', '/followed', { Authorization: 'Bearer nonsense' }],
    ['GET', '/followed', { 'Policy-At-Least': '999' }],
    ['GET', '/followed', { Host: 'evil:x@good' }],
    ['GET', '/followed', { 'Content-Length': '0' }],
    ['GET', '/followed', { Origin: 'https://elsewhere.example' }],
    ['GET', '/followed/', {}],
    ['GET', '/Followed', {}],
    ['GET', '//followed', {}],
    ['GET', '/followed;a=b', {}],
    ['GET', '/%66ollowed', {}],
    ['GET', '/absent', {}],
    ['GET', '/absent', { 'X-Request-ID': 'my-own.id_2' }],
    ['GET', `/${'a'.repeat(64)}`, {}],
    ['GET', `/${'a'.repeat(65)}`, {}],
    ['GET', '/NULL', {}],
    ['GET', '/healthz', {}],
    ['GET', '/Healthz', {}],
    ['GET', '/readyz', {}],
    ['GET', '/links', {}],
    ['GET', '/policy', {}],
    ['POST', '/followed', {}],
    ['OPTIONS', '/followed', {}],
    ['TRACE', '/followed', {}],
  ]
  const expectTheSame = async (lane: TestService, chain: TestService, asked = ASKED) => {
    for (const [method, path, headers] of asked) {
      const [one, other] = [await send(lane, method, path, headers), await send(chain, method, path, headers)]
      expect(steady(one), `${method} ${path} ${JSON.stringify(headers)}`).to.deep.equal(steady(other))
    }
  }
  /** Two services more with these settings: one with the short way, one without. */
  const withBoth = async (
    settings: TestServiceOptions,
    work: (lane: TestService, chain: TestService) => Promise<void>,
  ) => {
    const [lane, chain] = [
      await startTestService({ db: short.db, ...settings }),
      await startTestService({ db: short.db, ...settings, composeLayers: (layers) => ({ ...layers }) }),
    ]
    try {
      await work(lane, chain)
    } finally {
      await lane.stop()
      await chain.stop()
    }
  }

  it('answers to the byte what the whole chain answers, whatever is asked', () => expectTheSame(short, long))

  it('answers to the byte what the whole chain answers where nothing is remembered', () =>
    withBoth({ environment: { ...environment, REDIRECT_CACHE_SIZE: '0' } }, expectTheSame))

  it('follows a link that nobody remembers as it is at that moment', () =>
    withBoth({ environment: { ...environment, REDIRECT_CACHE_SIZE: '0' } }, async (lane, chain) => {
      const followed = async (code: string) => {
        await expectTheSame(lane, chain, [['GET', `/${code}`, {}]])
        const {
          status,
          headers: { location },
        } = await send(lane, 'GET', `/${code}`)
        return location ?? status
      }
      expect(await followed('fresh')).to.equal(404)
      // by another process, so that nobody tells this one
      await short.request('POST', '/links', {
        token: editor.token,
        json: { code: 'fresh', target: 'https://example.com/1' },
      })
      expect(await followed('fresh')).to.equal('https://example.com/1')
      await short.request('PATCH', '/links/fresh', { token: editor.token, json: { target: 'https://example.com/2' } })
      expect(await followed('fresh')).to.equal('https://example.com/2')
      await short.request('PATCH', '/links/fresh', { token: editor.token, json: { code: 'renamed' } })
      expect([await followed('fresh'), await followed('renamed')]).to.deep.equal([404, 'https://example.com/2'])
      await short.request('DELETE', '/links/renamed', { token: editor.token })
      expect(await followed('renamed')).to.equal(404)
    }))

  it('answers what the whole chain answers where the database is away or silent, and within the one deadline', async () => {
    const wire = await openWire(short.db.service)
    const deadlineMs = 1_000
    try {
      await withBoth(
        {
          db: { ...short.db, service: wire.connection, listener: wire.connection },
          environment: { ...environment, REDIRECT_CACHE_SIZE: '0', REQUEST_DEADLINE_MS: String(deadlineMs) },
        },
        async (lane, chain) => {
          await expectTheSame(lane, chain)
          wire.hold()
          const began = performance.now()
          const [silent, silentToo] = await Promise.all([
            send(lane, 'GET', '/followed'),
            send(chain, 'GET', '/followed'),
          ])
          // handed on with what is left of its time: not with all of it once more
          expect(performance.now() - began).to.be.within(deadlineMs - 5, 1.7 * deadlineMs)
          expect([silent.status, silent.headers['retry-after'], silent.names]).to.deep.equal([
            503,
            '1',
            silentToo.names,
          ])
          expect(silentToo.status).to.equal(503)
          wire.mend()
          wire.cut()
          await expectTheSame(lane, chain, [
            ['GET', '/followed', {}],
            ['GET', '/absent', {}],
          ])
          expect((await send(lane, 'GET', '/followed')).status).to.equal(503)
          wire.mend()
          while ((await send(lane, 'GET', '/followed')).status !== 302) await new Promise(setImmediate)
        },
      )
    } finally {
      await wire.close()
    }
  })

  for (const [name, CORS_ORIGINS] of [
    ['any origin may read', '*'],
    ['some origins may read', 'https://app.example,https://other.example'],
  ] as const) {
    it(`answers to the byte what the whole chain answers where ${name}`, async () => {
      await withBoth({ environment: { ...environment, CORS_ORIGINS } }, async (lane, chain) => {
        for (const service of [lane, chain])
          while ((await metric(service, 'linkgate_cache_hits_total')) === 0) await send(service, 'GET', '/followed')
        await expectTheSame(
          lane,
          chain,
          [{}, { Origin: 'https://app.example' }, { Origin: 'https://elsewhere.example' }, { Origin: 'null' }].flatMap(
            (headers) =>
              [
                ['GET', '/followed', headers],
                ['GET', '/absent', headers],
              ] as const,
          ),
        )
      })
    })
  }

  it('is no way around the one Host', async () => {
    const said = await sendRaw(
      short.baseUrl,
      'GET /followed HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n',
    )
    expect(statusOf(said)).to.equal(400)
  })

  it("is really taken: the chain's own counters stand still", async () => {
    const labels = '{method="GET",route="/:code",status="302"}'
    const before = await metric(short, `linkgate_http_request_duration_seconds_count${labels}`)
    const allowed = await metric(short, 'linkgate_decisions_total{effect="allow",rule="R1",layer="object"}')
    const first = await send(short, 'GET', '/followed')
    expect(first.headers['x-powered-by']).to.equal(undefined)
    expect(await metric(short, `linkgate_http_request_duration_seconds_count${labels}`)).to.equal(before + 1)
    expect(await metric(short, 'linkgate_decisions_total{effect="allow",rule="R1",layer="object"}')).to.be.at.least(
      allowed + 1,
    )
  })

  it('counts against the same limit as the whole chain, exactly, and is refused by it', async () => {
    const service = await startTestService({ db: short.db, environment: { RATE_LIMIT_ANONYMOUS: '30/600' } })
    try {
      const answers = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => send(service, 'GET', i % 2 === 0 ? '/followed' : '/links/followed')),
      )
      expect(answers.filter(({ status }) => status === 429)).to.have.length(30)
      expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).to.match(/^[1-9]\d*$/)
      expect((await send(service, 'GET', '/followed')).status).to.equal(429)
    } finally {
      await service.stop()
    }
  })

  it('counts once whoever goes on from it through the whole chain, refused ones too', async () => {
    const service = await startTestService({
      db: short.db,
      environment: { RATE_LIMIT_ANONYMOUS: '40/600', REDIRECT_CACHE_SIZE: '0' },
    })
    try {
      const paths = ['/followed', '/absent', '/links/followed', '/healthz']
      const answers = await Promise.all(
        Array.from({ length: 80 }, async (_, i) => send(service, 'GET', paths[i % 4] ?? '')),
      )
      // a probe is nobody's quota
      expect(answers.filter(({ status }) => status === 429)).to.have.length(20)
      expect(answers.filter((_, i) => i % 4 === 3).every(({ status }) => status === 200)).to.equal(true)
      expect((await send(service, 'GET', '/absent')).status).to.equal(429)
      expect(await metric(service, 'linkgate_refusals_total{layer="gateway",code="rate_limited"}')).to.equal(21)
    } finally {
      await service.stop()
    }
  })

  it('is closed as soon as a row denies what it does', async () => {
    const forgetful = await startTestService({
      db: short.db,
      environment: { ...environment, REDIRECT_CACHE_SIZE: '0' },
    })
    const services = [short, forgetful]
    const statuses = async () => {
      for (const { policy } of services) await policy.refresh()
      return Promise.all(services.map(async (service) => (await send(service, 'GET', '/followed')).status))
    }
    await short.db.asOwner(
      `insert into casbin (ptype, rule) values ('p', '["50", "CLOSED", "anonymous", "link:read", "any", "deny"]')`,
    )
    expect(await statuses()).to.deep.equal([403, 403])
    await short.db.asOwner(`delete from casbin where rule ->> 1 = 'CLOSED'`)
    await short.db.asOwner(`delete from casbin where ptype = 'p2' and rule = '["anyone", "link:read"]'`)
    expect(await statuses()).to.deep.equal([403, 403])
    await short.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["anyone", "link:read"]')`)
    expect(await statuses()).to.deep.equal([302, 302])
    await forgetful.stop()
  })
})

/** The short way by itself: what it asks and when, and what it leaves to others. */
describe('the short way of a redirect alone', () => {
  const link: Link = {
    id: toId('1'),
    code: 'a',
    target: 'https://example.com/',
    owner_id: toId('1'),
    created_at: '',
    updated_at: '',
    version: 1,
  }
  const STANDING = { quota: { points: 5, seconds: 60 }, left: 4, seconds: 60 }
  let told: string[]
  let finished: FinishedRequest[]
  let server: Server
  let find: (code: string) => Promise<Link | null> | Link | null
  let allowed: boolean

  let snapshot: Snapshot

  before(async () => {
    const rows = parsePolicyCsv(await readFile(new URL('policies/default.csv', PACKAGE_ROOT), 'utf8'))
    if (!rows.ok) throw new Error('policies/default.csv does not parse')
    snapshot = await buildSnapshot(
      1,
      parseModel(await readFile(new URL('model.conf', PACKAGE_ROOT), 'utf8')),
      rows.value,
    )
    server = createServer(
      redirectLane(
        {
          routes: [
            { method: 'get', path: '/own' },
            { method: 'get', path: '/:code' },
          ],
          route: { path: '/:code' },
          find: (code) => {
            told.push(`find ${code}`)
            return find(code)
          },
          limiter: {
            admit: async (quota, bucket) => {
              told.push(`admit ${quota}`)
              return { quota, bucket, allowed, standing: STANDING, headers: [] }
            },
            passOn: (_, admission) => {
              told.push(`pass on ${admission.allowed}`)
            },
          },
          layers: {
            policy: { current: () => snapshot, refresh: async () => snapshot },
            count: ({ rule }) => {
              told.push(`count ${rule}`)
            },
            recordsPublicReads: false,
          },
          deadlineMs: 5_000,
          trustedProxyHops: 0,
          secure: false,
          corsOrigins: [],
          observe: (request) => {
            finished.push(request)
          },
        },
        (_, res) => {
          told.push('long way')
          res.writeHead(299).end()
        },
      ),
    )
    await listen(server, { host: '127.0.0.1', port: 0, setting: 'PORT' })
  })
  after(() => {
    server.close()
  })
  beforeEach(() => {
    told = []
    finished = []
    allowed = true
    find = async () => link
  })
  const follow = async (path: string) => (await fetch(`${urlOf(server)}${path}`, { redirect: 'manual' })).status

  it('asks the limiter before it asks for the link, and answers without the chain', async () => {
    expect(await follow('/a')).to.equal(302)
    expect(told).to.deep.equal(['admit anonymous', 'find a', 'count R1'])
    while (finished.length === 0) await new Promise(setImmediate)
    expect(finished).to.have.length(1)
    expect(finished[0]).to.include({ status: 302, route: '/:code', link: 'a', revision: 1, aborted: false })
  })

  it('asks for no link where the limit is reached, and hands the request on as it was counted', async () => {
    allowed = false
    expect(await follow('/a')).to.equal(299)
    expect(told).to.deep.equal(['admit anonymous', 'pass on false', 'long way'])
    expect(finished).to.deep.equal([])
  })

  it('hands on what it cannot answer, counted, and says nothing of it', async () => {
    for (const none of [
      () => null,
      async () => null,
      async () => {
        throw new Error('away')
      },
      () => {
        throw new Error('away')
      },
    ]) {
      told = []
      find = none
      expect(await follow('/a')).to.equal(299)
      expect(told).to.deep.equal(['admit anonymous', 'find a', 'pass on true', 'long way'])
    }
    expect(finished).to.deep.equal([])
  })

  it("leaves the service's own paths alone", async () => {
    expect(await follow('/own')).to.equal(299)
    expect(await follow('/own?a')).to.equal(299)
    expect(told).to.deep.equal(['long way', 'long way'])
  })

  it('tells of a caller who leaves while the database is asked, once, and bothers nobody for them', async () => {
    let answer: (link: Link | null) => void = () => undefined
    find = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const leaving = request(`${urlOf(server)}/a`)
    leaving.on('error', () => undefined).end()
    while (told.length < 2) await new Promise(setImmediate)
    leaving.destroy()
    while (finished.length === 0) await new Promise(setImmediate)
    expect(finished[0]).to.include({ status: 499, aborted: true, revision: 1, decision: undefined })
    answer(null)
    await new Promise(setImmediate)
    expect(told).to.deep.equal(['admit anonymous', 'find a'])
    expect(finished).to.have.length(1)
  })

  it('hands on what waited too long with no time left: the deadline is one', async () => {
    const deadlineMs = 400
    const never = () => new Promise<never>(() => undefined)
    const following = redirectRoute({ findLink: never })
    const layers: Layers = {
      gateway: openGateway(new Map()),
      endpoint: openEndpoint,
      object: openObject,
      data: openData,
      countAccount: never,
      scope: () => undefined,
      repeat: never,
      policy: { current: () => snapshot, refresh: never },
      record: () => undefined,
      recordsPublicReads: false,
      count: () => undefined,
    }
    const parts = {
      routes: [following],
      layers,
      deadlineMs,
      secure: false,
      corsOrigins: [],
      observe: (request: FinishedRequest) => {
        finished.push(request)
      },
    }
    const chain = createApp({ ...parts, log: pino({ level: 'silent' }), onDisagreement: () => undefined }).callback()
    const limiter = createRateLimiter({
      quotas: { anonymous: undefined, user: undefined, sign_in: undefined, invite: undefined },
    })
    const slow = createServer(
      redirectLane({ ...parts, route: following, find: never, limiter, trustedProxyHops: 0 }, chain),
    )
    await listen(slow, { host: '127.0.0.1', port: 0, setting: 'PORT' })
    const began = performance.now()
    const answer = await fetch(`${urlOf(slow)}/a`)
    expect(performance.now() - began).to.be.within(deadlineMs - 5, 1.8 * deadlineMs)
    expect(await answer.json()).to.include({ status: 503, code: 'deadline_exceeded' })
    while (finished.length === 0) await new Promise(setImmediate)
    expect(finished).to.have.length(1)
    expect(finished[0]?.seconds).to.be.greaterThan((deadlineMs - 5) / 1_000)
    slow.close()
  })
})
