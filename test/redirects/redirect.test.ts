import { expect } from 'chai'

import { openWire } from '../support/proxy.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import { startTestService, type TestService, type TestServiceOptions, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const TARGET = 'https://example.com/a?b=c#d'
const environment = { RATE_LIMIT_ANONYMOUS: '1000/60', RATE_LIMIT_USER: '600/60' }

describe('a redirect', () => {
  let service: TestService
  let editor: TestUser

  before(async () => {
    service = await startTestService({ environment })
    editor = await service.addUser('editor')
    await service.request('POST', '/links', { token: editor.token, json: { code: 'followed', target: TARGET } })
  })
  after(() => service.stop())

  const withService = async (settings: TestServiceOptions, work: (other: TestService) => Promise<void>) => {
    const other = await startTestService({ db: service.db, ...settings })
    try {
      await work(other)
    } finally {
      await other.stop()
    }
  }
  const metric = async (of: TestService, line: string) => {
    const { text } = await of.request('GET', '/metrics')
    return Number(new RegExp(`^${line.replaceAll(/[{}"/.]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  }

  it('leads to the target, says so to caches, and carries the headers of every answer', async () => {
    const { status, headers, text } = await service.request('GET', '/followed')
    expect([status, text]).to.deep.equal([302, ''])
    expect(Object.fromEntries(headers)).to.include({
      location: TARGET,
      'cache-control': 'no-cache',
      // a link may be a picture on a page of another site
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'policy-revision': String(service.policy.current().revision),
      'ratelimit-policy': '"anonymous";q=1000;w=60',
    })
    expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
  })

  for (const [name, method, path, headers, status, code] of [
    ['of HEAD', 'HEAD', '/followed', {}, 302, undefined],
    ['ignores a query', 'GET', '/followed?utm_source=x&y', {}, 302, undefined],
    ['keeps a harmless request id', 'GET', '/followed', { 'X-Request-ID': 'my-own.id_1' }, 302, undefined],
    ['replaces a harmful request id', 'GET', '/followed', { 'X-Request-ID': 'has spaces' }, 302, undefined],
    ['of a percent-encoded code', 'GET', '/%66ollowed', {}, 302, undefined],
    ['of a code in another case is none', 'GET', '/Followed', {}, 404, 'not_found'],
    ['with a slash behind it is none', 'GET', '/followed/', {}, 404, 'no_route'],
    ['of a code that nobody made is none', 'GET', '/absent', {}, 404, 'not_found'],
    ['of 65 characters is none', 'GET', `/${'a'.repeat(65)}`, {}, 404, 'not_found'],
    ['with a bad token is refused', 'GET', '/followed', { Authorization: 'Bearer nonsense' }, 401, 'invalid_token'],
    [
      'under no policy that has a number is refused',
      'GET',
      '/followed',
      { 'Policy-At-Least': '' },
      400,
      'invalid_request',
    ],
    ['under a newer policy is refused', 'GET', '/followed', { 'Policy-At-Least': '999' }, 412, 'precondition_failed'],
    ['by PUT is not allowed', 'PUT', '/followed', {}, 405, 'method_not_allowed'],
  ] as const) {
    it(name, async () => {
      const answer = await service.request(method, path, { headers })
      expect(answer.status).to.equal(status)
      if (status === 302) expect(answer.headers.get('location')).to.equal(TARGET)
      else expect(answer.json).to.include({ code, status })
      const asked = 'X-Request-ID' in headers ? headers['X-Request-ID'] : ''
      expect(answer.headers.get('x-request-id') === asked).to.equal(asked === 'my-own.id_1')
    })
  }

  it('needs exactly one Host', async () => {
    const twice = 'GET /followed HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n'
    expect(statusOf(await sendRaw(service.baseUrl, twice))).to.equal(400)
  })

  it('gives a valid token its own quota, and lets no cache keep its answer', async () => {
    const { status, headers } = await service.request('GET', '/followed', { token: editor.token })
    expect([status, headers.get('ratelimit-policy')]).to.deep.equal([302, '"user";q=600;w=60'])
    expect(headers.get('cache-control')).to.equal('no-store')
  })

  it('is counted once, in the metrics and as a decision', async () => {
    const requests = 'linkgate_http_request_duration_seconds_count{method="GET",route="/:code",status="302"}'
    const allowed = 'linkgate_decisions_total{effect="allow",rule="R1",layer="object"}'
    const before = [await metric(service, requests), await metric(service, allowed)]
    await service.request('GET', '/followed')
    expect([await metric(service, requests), await metric(service, allowed)]).to.deep.equal(before.map((n) => n + 1))
  })

  it('counts against the same limit as the API, exactly', () =>
    withService({ environment: { RATE_LIMIT_ANONYMOUS: '30/600' } }, async (limited) => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) => limited.request('GET', i % 2 === 0 ? '/followed' : '/links/followed')),
      )
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).to.have.length(30)
      expect(refused[0]?.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      expect(await metric(limited, 'linkgate_refusals_total{layer="gateway",code="rate_limited"}')).to.equal(30)
    }))

  it('is as the database holds it at that moment where nothing is cached', () =>
    withService({ environment: { ...environment, REDIRECT_CACHE_SIZE: '0' } }, async (uncached) => {
      const followed = async (code: string) => {
        const { status, headers } = await uncached.request('GET', `/${code}`)
        return headers.get('location') ?? status
      }
      const send = (method: string, path: string, json?: object) =>
        service.request(method, path, { token: editor.token, ...(json ? { json } : {}) })
      expect(await followed('fresh')).to.equal(404)
      await send('POST', '/links', { code: 'fresh', target: 'https://example.com/1' })
      expect(await followed('fresh')).to.equal('https://example.com/1')
      await send('PATCH', '/links/fresh', { target: 'https://example.com/2', code: 'renamed' })
      expect([await followed('fresh'), await followed('renamed')]).to.deep.equal([404, 'https://example.com/2'])
      await send('DELETE', '/links/renamed')
      expect(await followed('renamed')).to.equal(404)
    }))

  it('is refused as soon as a row denies it, from the cache too', () =>
    withService({ environment: { ...environment, REDIRECT_CACHE_SIZE: '0' } }, async (uncached) => {
      const services = [service, uncached]
      const statuses = async () => {
        for (const { policy } of services) await policy.refresh()
        return Promise.all(services.map(async (each) => (await each.request('GET', '/followed')).status))
      }
      const { db } = service
      await db.asOwner(
        `insert into casbin (ptype, rule) values ('p', '["50", "CLOSED", "anonymous", "link:read", "any", "deny"]')`,
      )
      expect(await statuses()).to.deep.equal([403, 403])
      await db.asOwner(`delete from casbin where rule ->> 1 = 'CLOSED'`)
      await db.asOwner(`delete from casbin where ptype = 'p2' and rule = '["anyone", "link:read"]'`)
      expect(await statuses()).to.deep.equal([403, 403])
      await db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["anyone", "link:read"]')`)
      expect(await statuses()).to.deep.equal([302, 302])
    }))

  it('is 503 within the deadline where the database is silent or away, and goes on when it is back', async () => {
    const wire = await openWire(service.db.service)
    const db = { ...service.db, service: wire.connection, listener: wire.connection }
    const settings = { ...environment, REDIRECT_CACHE_SIZE: '0', REQUEST_DEADLINE_MS: '1000' }
    try {
      await withService({ db, environment: settings }, async (far) => {
        wire.hold()
        const silent = await far.request('GET', '/followed')
        expect([silent.status, silent.headers.get('retry-after')]).to.deep.equal([503, '1'])
        wire.mend()
        wire.cut()
        expect((await far.request('GET', '/followed')).json).to.include({ status: 503, code: 'database_unavailable' })
        wire.mend()
        await until('redirects work again', async () => (await far.request('GET', '/followed')).status === 302)
      })
    } finally {
      await wire.close()
    }
  })
})
