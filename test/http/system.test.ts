import { expect } from 'chai'

import { startTestService, type TestService } from '../support/service.js'
import { at } from '../support/json.js'
import { freePort, openWire, type Wire } from '../support/proxy.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { until, within } from '../support/until.js'

describe('what is public and decided by nobody', () => {
  let service: TestService
  let db: TestDatabase
  let wire: Wire

  const untilReady = () => until('/readyz is 200', async () => (await service.request('GET', '/readyz')).status === 200)

  before(async () => {
    db = await testDatabase()
    wire = await openWire(db.service)
    service = await startTestService({
      db: { ...db, service: wire.connection },
      environment: { REQUEST_DEADLINE_MS: '1000' },
    })
  })
  after(async () => {
    await service.stop()
    await wire.close()
  })
  afterEach(async () => {
    wire.mend()
    // a connection that was cut is noticed by the next question at the latest
    await untilReady()
  })

  it('/healthz says that the process lives, with the database away too', async () => {
    wire.cut()
    const answer = await service.request('GET', '/healthz')
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({ status: 'ok' })
  })

  it('/readyz is 503 with Retry-After while the database is away or silent, and 200 again after it', async () => {
    expect((await service.request('GET', '/readyz')).status).to.equal(200)
    for (const fail of [() => wire.cut(), () => wire.hold()]) {
      fail()
      const away = await service.request('GET', '/readyz')
      expect(away.status).to.equal(503)
      expect(away.headers.get('Retry-After')).to.match(/^\d+$/)
      wire.mend()
      await untilReady()
    }
  })

  it('/readyz blames the database alone while it is away, and not the policy', async () => {
    wire.cut()
    const refreshed = await service.policy.refresh().then(
      () => 'read',
      () => 'not read',
    )
    expect(refreshed).to.equal('not read')
    const { json } = await service.request('GET', '/readyz')
    expect(at(json, 'checks', 'database')).to.equal('away')
    expect(at(json, 'checks', 'policy')).to.deep.equal({ revision: 1, fault: null })
  })

  it('every other request is 503 with Retry-After while the database is away, and 200 after it', async () => {
    const user = await service.addUser('editor')
    wire.cut()
    for (const [method, path, json] of [
      ['GET', '/abc', undefined],
      ['GET', '/links/abc', undefined],
      ['GET', '/links', undefined],
      ['POST', '/links', { target: 'https://example.com/' }],
      ['DELETE', '/links/abc', undefined],
      ['GET', '/links/export', undefined],
    ] as const) {
      const answer = await service.request(method, path, { token: user.token, ...(json === undefined ? {} : { json }) })
      expect(answer.json, `${method} ${path}`).to.include({ status: 503, code: 'database_unavailable' })
      expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    }
    wire.mend()
    expect((await service.request('GET', '/links', { token: user.token })).status).to.equal(200)
  })

  it('a database that is silent is 503 within the deadline', async () => {
    wire.hold()
    const answer = service.request('GET', '/abc')
    expect((await within('an answer', answer, { withinMs: 10_000 })).json).to.include({ status: 503 })
  })

  it('/readyz is 503 while the newest policy is faulty; the last good one decides, and changes are 503', async () => {
    const user = await service.addUser('editor')
    await db.asOwner(
      `insert into casbin (ptype, rule) values ('p', '["77", "R9", "editor", "no action", "any", "allow"]')`,
    )
    await service.policy.refresh().catch(() => undefined)
    const answer = await service.request('GET', '/readyz')
    expect(answer.status).to.equal(503)
    // what is wrong, but not with which row: anybody may ask
    expect(at(answer.json, 'checks', 'policy', 'fault')).to.equal(
      'a newer policy revision could not be loaded; the last good one is in force',
    )
    const refused = await service.request('POST', '/links', {
      token: user.token,
      json: { target: 'https://example.com/' },
    })
    expect(refused.json).to.include({ status: 503, code: 'policy_unavailable' })
    expect(refused.headers.get('Retry-After')).to.equal('1')
    expect((await service.request('GET', '/links', { token: user.token })).status).to.equal(200)
    expect((await service.request('GET', '/policy', { token: user.token })).status).to.equal(403)
    await db.asOwner(`delete from casbin where rule ->> 0 = '77'`)
    await service.policy.refresh()
    expect((await service.request('GET', '/readyz')).status).to.equal(200)
  })

  it('/.well-known/jwks.json has the public key alone', async () => {
    const answer = await service.request('GET', '/.well-known/jwks.json')
    expect(answer.headers.get('Content-Type')).to.match(/^application\/jwk-set\+json/)
    const key = at(answer.json, 'keys', 0)
    expect(key).to.include({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    for (const secret of ['d', 'p', 'q', 'k', 'oth']) expect(key).to.not.have.property(secret)
  })

  it('every answer forbids frames, sniffing and content of its own; no HSTS is sent over http', async () => {
    for (const path of ['/healthz', '/links', '/nothing/here', '/docs', '/docs/guides']) {
      const { headers } = await service.request('GET', path)
      expect(headers.get('X-Content-Type-Options')).to.equal('nosniff')
      expect(headers.get('X-Frame-Options')).to.equal('DENY')
      expect(headers.get('Referrer-Policy')).to.equal('no-referrer')
      expect(headers.get('Content-Security-Policy')).to.include("default-src 'none'")
      expect(headers.get('Strict-Transport-Security')).to.equal(null)
    }
  })

  it('HSTS is sent where the public origin is https', async () => {
    const port = String(await freePort())
    const secure = await startTestService({ environment: { BASE_URL: 'https://links.example', PORT: port } })
    try {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`)
      expect(response.headers.get('Strict-Transport-Security')).to.match(/^max-age=\d{8}$/)
    } finally {
      await secure.stop()
    }
  })
})
