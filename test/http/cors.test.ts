import { expect } from 'chai'

import { readConfig } from '../../src/config.js'
import { ANSWER_HEADERS } from '../../src/openapi/responses.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type TestService } from '../support/service.js'

const OURS = 'https://app.example'
const STRANGERS = [
  'https://evil.example',
  'https://app.example.evil.example',
  'https://sub.app.example',
  'http://app.example',
  'https://app.example:8443',
  'https://APP.example',
  'null',
  'https://app.example/',
  `${OURS}, https://evil.example`,
  'x',
]
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

describe('calls from pages of other origins', () => {
  describe('with CORS_ORIGINS of exact origins', () => {
    let service: TestService
    before(async () => {
      service = await startTestService({ environment: { CORS_ORIGINS: `${OURS} http://localhost:5173` } })
    })
    after(() => service.stop())

    const preflight = (path: string, method: string, origin = OURS, on = service) =>
      on.request('OPTIONS', path, {
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'authorization',
        },
      })

    it('a preflight of every route is 204 without a token, and allows the methods of that path alone', async () => {
      for (const route of service.routes) {
        const { path } = requestOf(route, 'absent')
        const [bare = path] = path.split('?')
        const answer = await preflight(bare, route.method.toUpperCase())
        expect(answer.status, bare).to.equal(204)
        expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(OURS)
        // a path may be one pattern's and another's; /links/export and a preview (+) are that alone
        const own = service.routes.filter(
          ({ path: each }) => each === bare || (each === '/:code+' && bare.endsWith('+')),
        )
        const matching = service.routes.filter((each) =>
          new RegExp(`^${each.path.replaceAll('+', '[+]').replace(/:[a-z_]+/g, '[^/]+')}$`).test(bare),
        )
        const methods = (own.length > 0 ? own : matching).flatMap((each) =>
          each.method === 'get' ? ['GET', 'HEAD'] : [each.method.toUpperCase()],
        )
        expect(answer.headers.get('Access-Control-Allow-Methods')?.split(', '), bare).to.have.members([
          ...new Set([...methods, 'OPTIONS']),
        ])
        expect(answer.headers.get('Access-Control-Allow-Headers')?.split(', ')).to.include.members([
          'Authorization',
          'Content-Type',
          'If-Match',
          'If-None-Match',
          'Idempotency-Key',
          'Policy-At-Least',
          'X-Request-ID',
        ])
        expect(answer.headers.get('Access-Control-Max-Age')).to.equal('600')
        expect(answer.headers.get('Vary')).to.equal('Origin')
        expect(answer.text).to.equal('')
      }
    })

    it('a preflight of a path that is not there is 404, and allows no method', async () => {
      const answer = await preflight('/nothing/here', 'GET')
      expect(answer.status).to.equal(404)
      expect(answer.headers.get('Access-Control-Allow-Methods')).to.equal(null)
    })

    it('another origin gets the plain answer, with no word of CORS', async () => {
      for (const origin of STRANGERS) {
        for (const answer of [
          await preflight('/links', 'POST', origin),
          await service.request('GET', '/healthz', { headers: { Origin: origin } }),
        ]) {
          expect(answer.status, origin).to.be.oneOf([200, 204])
          expect(corsHeaders(answer.headers), origin).to.deep.equal([])
          expect(answer.headers.get('Vary')).to.equal('Origin')
        }
      }
    })

    it('an allowed origin may read answers, refusals and headers; never with credentials', async () => {
      const { token } = await service.addUser('editor')
      const answers = [
        await service.request('POST', '/links', {
          token,
          json: { target: 'https://example.com/', code: 'from-a-page' },
          headers: { Origin: OURS },
        }),
        await service.request('GET', '/links/from-a-page', { token, headers: { Origin: OURS } }),
        await service.request('GET', '/from-a-page', { headers: { Origin: OURS } }),
        await service.request('POST', '/links', { token, json: {}, headers: { Origin: OURS } }),
        await service.request('GET', '/links', { headers: { Origin: OURS } }),
        await service.request('GET', '/nothing/here', { headers: { Origin: 'http://localhost:5173' } }),
      ]
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 200, 302, 422, 401, 404])
      for (const { headers, status } of answers) {
        expect(headers.get('Access-Control-Allow-Origin'), String(status)).to.equal(
          status === 404 ? 'http://localhost:5173' : OURS,
        )
        expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).to.include.members([
          'ETag',
          'Location',
          'Policy-Revision',
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'X-Request-ID',
          'Idempotent-Replayed',
        ])
        expect(headers.get('Access-Control-Allow-Credentials')).to.equal(null)
        expect(headers.get('Vary')).to.match(/\bOrigin\b/)
      }
      expect(answers[1]?.headers.get('Vary'), 'beside what the answer itself says').to.match(/\bAuthorization\b/)
    })

    it('an allowed origin may read each header that the reference names', async () => {
      const { headers } = await service.request('GET', '/healthz', { headers: { Origin: OURS } })
      const exposed = headers.get('Access-Control-Expose-Headers')?.split(', ')
      // browsers keep these two for themselves
      const readable = Object.keys(ANSWER_HEADERS).filter(
        (name) => !['Set-Cookie', 'Access-Control-Allow-Origin'].includes(name),
      )
      expect(exposed).to.include.members(readable)
    })

    it('lets nobody in: an allowed origin without a token is 401 as anybody is', async () => {
      for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
        const { method, path, options } = requestOf(route)
        expect(
          (await service.request(method, path, { ...options, headers: { ...options.headers, Origin: OURS } })).status,
          `${method} ${path}`,
        ).to.equal(401)
      }
    })
  })

  it('with CORS_ORIGINS=* every origin may, and never with credentials', async () => {
    const service = await startTestService({ environment: { CORS_ORIGINS: '*' } })
    try {
      for (const origin of [OURS, 'null', 'https://evil.example']) {
        for (const answer of [
          await service.request('OPTIONS', '/links', {
            headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
          }),
          await service.request('GET', '/links', { headers: { Origin: origin } }),
        ]) {
          expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('*')
          expect(answer.headers.get('Access-Control-Allow-Credentials')).to.equal(null)
        }
      }
    } finally {
      await service.stop()
    }
  })

  it('without CORS_ORIGINS no answer says a word of CORS', async () => {
    const service = await startTestService()
    try {
      for (const answer of [
        await service.request('OPTIONS', '/links', {
          headers: { Origin: OURS, 'Access-Control-Request-Method': 'POST' },
        }),
        await service.request('GET', '/healthz', { headers: { Origin: OURS } }),
      ]) {
        expect(corsHeaders(answer.headers)).to.deep.equal([])
        expect(answer.headers.get('Vary')).to.equal(null)
      }
    } finally {
      await service.stop()
    }
  })

  for (const text of [
    'https://app.example/',
    'https://app.example/path',
    'http://app.example',
    'app.example',
    '* https://app.example',
    'https://*.app.example',
    'null',
    'https://user@app.example',
    'ftp://app.example',
    'https://APP.example',
    'https://app.example:443',
  ]) {
    it(`CORS_ORIGINS=${JSON.stringify(text)} refuses the start`, () => {
      expect(() => readConfig({ CORS_ORIGINS: text })).to.throw('CORS_ORIGINS')
    })
  }
})
