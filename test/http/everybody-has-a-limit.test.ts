import { gunzipSync } from 'node:zlib'

import { expect } from 'chai'

import { openConnection } from '../support/connection.js'
import { at } from '../support/json.js'
import { startTestService, type TestService } from '../support/service.js'

const POINTS = 5

describe('everybody has a limit', () => {
  let service: TestService

  before(async () => {
    service = await startTestService({
      environment: { RATE_LIMIT_ANONYMOUS: `${POINTS}/600`, TRUSTED_PROXY_HOPS: '1', METRICS_PORT: '0' },
    })
  })
  after(() => service.stop())

  let lastHost = 0
  /** The statuses of one request more than the quota has, from an address of its own. */
  const exhaust = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const from = { 'X-Forwarded-For': `198.51.100.${(lastHost += 1)}` }
    const statuses: number[] = []
    for (let sent = 0; sent <= POINTS; sent += 1) {
      statuses.push((await service.request(method, path, { headers: { ...from, ...headers } })).status)
    }
    return statuses
  }

  for (const path of [
    '/openapi.json',
    '/docs',
    '/docs/guides',
    '/healthz',
    '/readyz',
    '/.well-known/jwks.json',
    '/.well-known/authzen-configuration',
  ]) {
    it(`${path} counts as anonymous`, async () => {
      expect(await exhaust('GET', path)).to.deep.equal([...Array.from({ length: POINTS }, () => 200), 429])
    })
  }

  it('so do paths that are not there, methods that no path has, and unknown ones', async () => {
    for (const [method, path, status] of [
      ['GET', '/not/there', 404],
      ['GET', '/metrics', 404],
      ['POST', '/healthz', 405],
      ['PROPFIND', '/not/there', 501],
    ] as const) {
      const wanted = [...Array.from({ length: POINTS }, () => status), 429]
      expect(await exhaust(method, path), `${method} ${path}`).to.deep.equal(wanted)
    }
  })

  it('a token that is not valid is counted on a path that is not there, too', async () => {
    const statuses = await exhaust('GET', '/not/there', { Authorization: 'Bearer made-up' })
    expect(statuses).to.deep.equal([...Array.from({ length: POINTS }, () => 401), 429])
  })

  it('what a path allows is told to browsers without a limit: a preflight costs no more than its refusal', async () => {
    expect(new Set(await exhaust('OPTIONS', '/links'))).to.deep.equal(new Set([204]))
  })

  it('the files of the console are not counted: a page needs them all at once', async () => {
    const { text } = await service.request('GET', '/console')
    const files = [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)
    const from = { 'X-Forwarded-For': '198.51.100.250' }
    const asked = Array.from({ length: POINTS }, () => files).flat()
    expect(asked.length).to.be.above(POINTS)
    for (const path of asked) {
      const { status, headers } = await service.request('GET', path, { headers: from })
      expect([status, headers.has('RateLimit')], path).to.deep.equal([200, false])
    }
    // whoever guesses tokens is counted here as everywhere
    const path = files[0] ?? expect.fail('no file')
    const guess = { 'X-Forwarded-For': '198.51.100.251', Authorization: 'Bearer made-up' }
    const statuses: number[] = []
    for (let sent = 0; sent <= POINTS; sent += 1)
      statuses.push((await service.request('GET', path, { headers: guess })).status)
    expect(statuses).to.deep.equal([...Array.from({ length: POINTS }, () => 401), 429])
  })

  it('health is not counted when this machine itself asks, nor on the port of the metrics', async () => {
    const direct = async (path: string) => {
      const { request } = openConnection(service.baseUrl)
      return (await request('GET', path)).status
    }
    for (const path of ['/healthz', '/readyz']) {
      for (let sent = 0; sent < 2 * POINTS; sent += 1) {
        expect(await direct(path)).to.equal(200)
        const own = await fetch(new URL(path, service.metricsUrl))
        expect(own.status).to.equal(200)
        expect(at(await own.json(), 'status')).to.equal(path === '/healthz' ? 'ok' : 'ready')
      }
    }
    // what this machine asks for and is no probe counts like everybody's
    for (let sent = 0; sent < POINTS; sent += 1) await direct('/openapi.json')
    expect(await direct('/openapi.json')).to.equal(429)
  })
})

describe('a document that does not change', () => {
  let service: TestService

  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    openConnection(service.baseUrl).request('GET', path, { headers })

  for (const path of ['/openapi.json', '/docs', '/.well-known/jwks.json', '/.well-known/authzen-configuration']) {
    it(`${path} has an ETag, and is sent compressed to whoever takes that`, async () => {
      const plain = await ask(path, { 'Accept-Encoding': 'identity' })
      const packed = await ask(path, { 'Accept-Encoding': 'br, gzip' })
      expect([plain.status, packed.status]).to.deep.equal([200, 200])
      expect(plain.headers).to.not.have.property('content-encoding')
      expect(packed.headers).to.include({ 'content-encoding': 'gzip' })
      for (const { headers } of [plain, packed]) expect(headers.vary).to.include('Accept-Encoding')
      expect(gunzipSync(packed.body)).to.deep.equal(plain.body)
      expect(packed.headers.etag).to.match(/^"[\w-]+"$/)
      expect(packed.headers.etag).to.not.equal(plain.headers.etag)

      for (const { headers } of [plain, packed]) {
        const again = await ask(path, {
          'Accept-Encoding': headers['content-encoding'] ?? 'identity',
          'If-None-Match': headers.etag ?? '',
        })
        expect([again.status, again.body.length]).to.deep.equal([304, 0])
        expect(again.headers.etag).to.equal(headers.etag)
      }
    })
  }
})
