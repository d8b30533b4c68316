import { expect } from 'chai'

import { createAccounts } from '../../src/identity/accounts.js'
import { PASSWORD, addAccount } from '../support/account.js'
import { ask } from '../support/ask.js'
import { at, textAt } from '../support/json.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type RequestOptions, type TestResponse, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const OWN = { 'Sec-Fetch-Site': 'same-origin' }
const CLEARED = 'linkgate=; Path=/auth/session; HttpOnly; SameSite=Strict; Max-Age=0'

const setCookie = ({ headers }: TestResponse): string | undefined => headers.getSetCookie().at(-1)
/** What the browser sends back. */
const cookieOf = (answer: TestResponse): string => setCookie(answer)?.split(';')[0] ?? ''
const tokenIn = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1)
const access = (answer: TestResponse) => textAt(answer.json, 'access_token')

describe('the session of a browser', () => {
  let service: TestService
  let other: TestService
  let folder: string
  before(async () => {
    folder = await makeTemporaryFolder()
    service = await startTestService({ environment: { DATA_DIR: folder } })
    other = await startTestService({ environment: { DATA_DIR: folder }, db: service.db })
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  const send = (method: string, path: string, { headers, ...options }: RequestOptions = {}, on = service) =>
    on.request(method, path, { ...options, headers: { ...OWN, ...headers } })
  const signIn = (email: string, password = PASSWORD, on = service) =>
    send('POST', '/auth/session', { json: { email, password } }, on)
  const signedIn = async () => {
    const answer = await signIn((await addAccount(service)).email)
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }
  const renew = (cookie: string, on = service) =>
    send('POST', '/auth/session/refresh', { headers: { Cookie: cookie } }, on)
  const end = (cookie: string, on = service) => send('DELETE', '/auth/session', { headers: { Cookie: cookie } }, on)
  const me = async (token: string, on = service) => (await on.request('GET', '/users/me', { token })).status
  /** As if so many seconds had passed since every renewal. */
  const later = (seconds: number) =>
    service.db.asOwner('update refresh_tokens set used_at = used_at - make_interval(secs => $1)', [seconds])
  const expectEnded = (answer: TestResponse) => {
    expect([answer.status, at(answer.json, 'code')], answer.text).to.deep.equal([401, 'session_ended'])
    expect(setCookie(answer)).to.equal(CLEARED)
  }

  it('begins with an access token for the page, and the refresh token in a cookie that no script reads', async () => {
    const { email, id } = await addAccount(service)
    const answer = await signIn(email.toUpperCase())
    expect(answer.status, answer.text).to.equal(200)
    expect(Object.keys(Object(answer.json)).sort()).to.deep.equal(['access_token', 'expires_in', 'scope', 'token_type'])
    expect(answer.json).to.include({ token_type: 'Bearer', expires_in: 900 })
    expect(answer.headers.get('Cache-Control')).to.equal('no-store')
    expect(answer.headers.getSetCookie()).to.have.length(1)
    const [, seconds] =
      /^linkgate=[A-Za-z0-9_-]{43}; Path=\/auth\/session; HttpOnly; SameSite=Strict; Max-Age=(\d+)$/.exec(
        setCookie(answer) ?? '',
      ) ?? []
    expect(Number(seconds)).to.be.closeTo(30 * 86_400, 60)
    expect((await service.request('GET', '/users/me', { token: access(answer) })).json).to.include({ id })
  })

  it('has a __Host- cookie where the service is reached by https', async () => {
    const secure = await startTestService({
      environment: { BASE_URL: 'https://go.example.com', DATA_DIR: folder },
      db: service.db,
    })
    try {
      const local = `http://127.0.0.1:${secure.port}`
      const { email } = await addAccount(service)
      const begun = await ask(local, 'POST', '/auth/session', { json: { email, password: PASSWORD }, headers: OWN })
      const place = 'Path=/; Secure; HttpOnly; SameSite=Strict'
      expect(setCookie(begun)).to.match(new RegExp(`^__Host-linkgate=[A-Za-z0-9_-]{43}; ${place}; Max-Age=\\d{7}$`))
      const headers = { ...OWN, Cookie: cookieOf(begun) }
      const renewed = await ask(local, 'POST', '/auth/session/refresh', { headers })
      expect(renewed.status, renewed.text).to.equal(200)
      expect(setCookie(await ask(local, 'DELETE', '/auth/session', { headers }))).to.equal(
        `__Host-linkgate=; ${place}; Max-Age=0`,
      )
      const plain = { ...OWN, Cookie: `linkgate=${tokenIn(cookieOf(renewed))}` }
      expect(
        (await ask(local, 'POST', '/auth/session/refresh', { headers: plain })).status,
        'the name counts',
      ).to.equal(401)
    } finally {
      await secure.stop()
    }
  })

  it('is refused over plain http but on this machine, with what to do', async () => {
    const exposed = await startTestService({
      environment: { BASE_URL: 'http://go.example.com', DATA_DIR: folder },
      db: service.db,
    })
    try {
      const { email } = await addAccount(service)
      for (const [method, path, json] of [
        ['POST', '/auth/session', { email, password: PASSWORD }],
        ['POST', '/auth/session/refresh', undefined],
        ['DELETE', '/auth/session', undefined],
      ] as const) {
        const answer = await ask(`http://127.0.0.1:${exposed.port}`, method, path, { json, headers: OWN })
        expect([answer.status, at(answer.json, 'code')], path).to.deep.equal([403, 'https_required'])
        expect(textAt(answer.json, 'detail')).to.include('BASE_URL').and.include('https')
        expect(answer.headers.getSetCookie()).to.deep.equal([])
      }
    } finally {
      await exposed.stop()
    }
  })

  it('has one answer to whatever is wrong with credentials, and no cookie then', async () => {
    const { email } = await addAccount(service)
    const suspended = await addAccount(service)
    await createAccounts(service.database).setSuspended(suspended.id, true)
    const answers = [
      await signIn(email, 'a wrong password'),
      await signIn('nobody@example.com'),
      await signIn('no address'),
      await signIn(suspended.email),
    ]
    for (const answer of answers) {
      expect([answer.status, at(answer.json, 'code')], answer.text).to.deep.equal([400, 'invalid_grant'])
      expect(answer.headers.getSetCookie()).to.deep.equal([])
    }
    expect(new Set(answers.map(({ json }) => JSON.stringify({ ...Object(json), request_id: '' }))).size).to.equal(1)
  })

  it('takes JSON alone, of these two fields', async () => {
    const { email } = await addAccount(service)
    const form = {
      body: `email=${email}&password=${PASSWORD}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }
    expect((await send('POST', '/auth/session', form)).status).to.equal(415)
    for (const json of [{ email }, { email, password: PASSWORD, scope: 'link:read' }, { email, password: 7 }])
      expect((await send('POST', '/auth/session', { json })).status).to.equal(422)
  })

  it('goes on with its cookie on any node, each time with another one that ends with the sign-in', async () => {
    let answer = await signedIn()
    const seen = new Set([cookieOf(answer)])
    for (const on of [other, service, other]) {
      const renewed = await renew(cookieOf(answer), on)
      expect(renewed.status, renewed.text).to.equal(200)
      expect(Object.keys(Object(renewed.json))).to.deep.equal(Object.keys(Object(answer.json)))
      expect(renewed.headers.get('Cache-Control')).to.equal('no-store')
      expect(await me(access(renewed))).to.equal(200)
      seen.add(cookieOf(renewed))
      answer = renewed
    }
    expect(seen.size).to.equal(4)
    await service.db.asOwner(`update refresh_tokens set expires_at = now() + interval '100 seconds'`)
    expect(Number(/Max-Age=(\d+)$/.exec(setCookie(await renew(cookieOf(answer))) ?? '')?.[1])).to.be.within(1, 100)
  })

  it('is over without a cookie, or with one that is none: 401, and the cookie is taken away', async () => {
    expectEnded(await send('POST', '/auth/session/refresh'))
    for (const value of ['', 'x', 'A'.repeat(43), 'A'.repeat(4_000)]) expectEnded(await renew(`linkgate=${value}`))
    const answer = await signedIn()
    await service.db.asOwner('update refresh_tokens set expires_at = now()')
    expectEnded(await renew(cookieOf(answer)))
  })

  it('ends in every tab at once with the sign-out in one', async () => {
    const first = await signedIn()
    const [one, two] = [await renew(cookieOf(first)), await renew(cookieOf(first), other)]
    const ended = await end(cookieOf(one))
    expect([ended.status, ended.text, setCookie(ended)]).to.deep.equal([204, '', CLEARED])
    for (const answer of [first, one, two]) {
      for (const on of [service, other]) expect(await me(access(answer), on)).to.equal(401)
      expectEnded(await renew(cookieOf(answer)))
    }
    for (const headers of [{}, { Cookie: cookieOf(one) }, { Cookie: 'linkgate=x' }])
      expect((await send('DELETE', '/auth/session', { headers })).status, 'again').to.equal(204)
  })

  it('lives on where two tabs renew it at once, on two nodes', async () => {
    for (let round = 0; round < 10; round++) {
      const cookie = cookieOf(await signedIn())
      const answers = await Promise.all([renew(cookie), renew(cookie, other)])
      for (const answer of answers) {
        expect(answer.status, answer.text).to.equal(200)
        expect(await me(access(answer))).to.equal(200)
      }
      // the browser has kept one of the two
      await later(60)
      const next = await renew(cookieOf(answers[round % 2] ?? expect.fail()))
      expect(next.status, next.text).to.equal(200)
      await later(60)
      expect((await renew(cookieOf(next), other)).status).to.equal(200)
    }
  })

  it('ends for both when a copy of its cookie is used, at the latest at the other’s next renewal', async () => {
    for (const isOwnerFirst of [true, false]) {
      const cookie = cookieOf(await signedIn())
      const [owner, thief] = [await renew(cookie), await renew(cookie)]
      await later(60)
      const [used, waiting] = isOwnerFirst ? [owner, thief] : [thief, owner]
      const next = await renew(cookieOf(used))
      expect(next.status, next.text).to.equal(200)
      await later(60)
      expectEnded(await renew(cookieOf(waiting)))
      expectEnded(await renew(cookieOf(next)))
      for (const answer of [owner, thief, next]) expect(await me(access(answer), other)).to.equal(401)
    }
  })

  it('ends when a cookie comes back later than tabs may be apart', async () => {
    const first = await signedIn()
    const second = await renew(cookieOf(first))
    await later(9)
    expect((await renew(cookieOf(first))).status, 'a slow tab').to.equal(200)
    await later(2)
    expectEnded(await renew(cookieOf(first)))
    expectEnded(await renew(cookieOf(second)))
  })

  it('gives no such time to the token endpoint', async () => {
    const cookie = cookieOf(await signedIn())
    const next = await renew(cookie)
    const json = { grant_type: 'refresh_token', refresh_token: tokenIn(cookie) }
    expect((await service.request('POST', '/auth/token', { json })).json).to.include({ code: 'invalid_grant' })
    expectEnded(await renew(cookieOf(next)))
  })

  describe('takes requests of its own pages alone', () => {
    const requests = async () => {
      const { email } = await addAccount(service)
      const begun = await signIn(email)
      const Cookie = cookieOf(begun)
      return {
        begun,
        all: [
          ['POST', '/auth/session', { json: { email, password: PASSWORD }, headers: {} }],
          ['POST', '/auth/session/refresh', { headers: { Cookie } }],
          ['DELETE', '/auth/session', { headers: { Cookie } }],
        ] as const,
      }
    }
    const foreign: readonly (readonly [string, (origin: string) => Readonly<Record<string, string>>])[] = [
      ['neither header', () => ({})],
      ['Sec-Fetch-Site: cross-site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
      ['Sec-Fetch-Site: same-site', () => ({ 'Sec-Fetch-Site': 'same-site' })],
      ['Sec-Fetch-Site: none', () => ({ 'Sec-Fetch-Site': 'none' })],
      ['Sec-Fetch-Site: cross-site beside the origin', (Origin) => ({ 'Sec-Fetch-Site': 'cross-site', Origin })],
      ['both values in one', (Origin) => ({ 'Sec-Fetch-Site': 'same-origin, cross-site', Origin })],
      ['another origin', () => ({ Origin: 'https://evil.example' })],
      ['the origin null', () => ({ Origin: 'null' })],
      ['the origin with a slash', (origin) => ({ Origin: `${origin}/` })],
      ['another port', () => ({ Origin: 'http://127.0.0.1:1' })],
      ['a Referer alone', (origin) => ({ Referer: `${origin}/console` })],
    ]
    for (const [what, headersAt] of foreign) {
      it(`and refuses ${what}`, async () => {
        const { begun, all } = await requests()
        const before = await service.db.asOwner('select id, used_at, revoked_at from refresh_tokens order by id')
        for (const [method, path, options] of all) {
          const headers = { ...options.headers, ...headersAt(service.baseUrl) }
          const answer = await service.request(method, path, { ...options, headers })
          expect([answer.status, at(answer.json, 'code')], `${method} ${path}`).to.deep.equal([403, 'cross_site'])
          expect(answer.headers.getSetCookie()).to.deep.equal([])
          expect(answer.headers.get('Cache-Control')).to.equal('no-store')
        }
        expect(
          await service.db.asOwner('select id, used_at, revoked_at from refresh_tokens order by id'),
        ).to.deep.equal(before)
        expect(await me(access(begun))).to.equal(200)
      })
    }

    it('by their origin, too, where a browser says no more', async () => {
      const { all } = await requests()
      for (const [method, path, options] of all) {
        const headers = { ...options.headers, Origin: service.baseUrl }
        expect((await service.request(method, path, { ...options, headers })).status, path).to.be.oneOf([200, 204])
      }
    })

    it('whatever CORS_ORIGINS allows', async () => {
      for (const origins of ['https://app.example', '*']) {
        const open = await startTestService({
          environment: { DATA_DIR: folder, CORS_ORIGINS: origins },
          db: service.db,
        })
        try {
          const { all } = await requests()
          for (const [method, path, options] of all) {
            for (const site of [{}, { 'Sec-Fetch-Site': 'cross-site' }]) {
              const headers = { ...options.headers, ...site, Origin: 'https://app.example' }
              const answer = await open.request(method, path, { ...options, headers })
              expect([answer.status, at(answer.json, 'code')], path).to.deep.equal([403, 'cross_site'])
              expect(answer.headers.get('Access-Control-Allow-Credentials')).to.equal(null)
            }
          }
        } finally {
          await open.stop()
        }
      }
    })
  })

  it('is no sign-in for any other route: no cookie is read there', async () => {
    const answer = await signedIn()
    const token = access(answer)
    const cookies = [cookieOf(answer), `__Host-${cookieOf(answer)}`, `linkgate=${token}`, `access_token=${token}`]
    for (const route of service.routes.filter(({ gateway }) => gateway.from === undefined)) {
      const { method, path, options } = requestOf(route)
      const [plain, ...withCookie] = await Promise.all(
        ['', cookies.join('; ')].map((Cookie) =>
          service.request(method, path, {
            ...options,
            headers: { ...OWN, ...options.headers, ...(Cookie && { Cookie }) },
          }),
        ),
      )
      for (const each of withCookie) expect(each.status, `${method} ${path}`).to.equal(plain?.status)
      if (route.gateway.scope !== 'public') expect(plain?.status, `${method} ${path}`).to.equal(401)
    }
    const three = service.routes.flatMap(({ method, path, gateway }) => (gateway.from ? [`${method} ${path}`] : []))
    expect(three).to.deep.equal(['post /auth/session', 'post /auth/session/refresh', 'delete /auth/session'])
  })

  it('counts as a sign-in for its address and its account, and its renewals do not', async () => {
    const limited = await startTestService({
      db: service.db,
      environment: { DATA_DIR: folder, RATE_LIMIT_SIGN_IN: '3/60', TRUSTED_PROXY_HOPS: '1' },
    })
    try {
      const attempt = (email: string, address: string, password = PASSWORD) =>
        send('POST', '/auth/session', { json: { email, password }, headers: { 'X-Forwarded-For': address } }, limited)
      const { email } = await addAccount(service)
      const begun = await attempt(email, '192.0.2.1')
      expect(begun.status, begun.text).to.equal(200)
      for (let i = 0; i < 2; i++) expect((await attempt(`nobody-${i}@example.com`, '192.0.2.1')).status).to.equal(400)
      expect((await attempt((await addAccount(service)).email, '192.0.2.1')).status, 'of the address').to.equal(429)
      for (let i = 2; i < 4; i++)
        expect((await attempt(email.toUpperCase(), `192.0.2.${i}`, 'a wrong password')).status).to.equal(400)
      expect((await attempt(email, '192.0.2.9')).status, 'of the account').to.equal(429)
      const headers = { 'X-Forwarded-For': '192.0.2.1' }
      let cookie = cookieOf(begun)
      for (let i = 0; i < 5; i++) {
        const renewed = await send(
          'POST',
          '/auth/session/refresh',
          { headers: { ...headers, Cookie: cookie } },
          limited,
        )
        expect(renewed.status, renewed.text).to.equal(200)
        cookie = cookieOf(renewed)
      }
    } finally {
      await limited.stop()
    }
  })
})
