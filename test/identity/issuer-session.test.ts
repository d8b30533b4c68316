import { createHash, randomBytes } from 'node:crypto'

import { expect } from 'chai'

import { createIssuerSession } from '../../src/identity/issuer-session.js'
import { ACTIONS } from '../../src/domain/action.js'
import { deferred } from '../../src/domain/deferred.js'
import { ask, type RequestOptions, type TestResponse } from '../support/ask.js'
import { at, textAt } from '../support/json.js'
import { CONSOLE_CLIENT, openIdIssuer, type OpenIdIssuer } from '../support/openid-issuer.js'
import { json, startScriptedServer, type Asked, type Scripted } from '../support/scripted-server.js'
import { startTestService, type TestService } from '../support/service.js'

const BASE_URL = 'https://go.example.com'
const OWN = { 'Sec-Fetch-Site': 'same-origin' }
const CLEARED = '__Host-linkgate=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'
const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

const startWith = (issuer: string, audience: string, environment: Readonly<Record<string, string>> = {}) =>
  startTestService({
    environment: {
      BASE_URL,
      JWT_ISSUER: issuer,
      JWT_AUDIENCE: audience,
      JWT_UNKNOWN_SUBJECTS: 'viewer',
      CONSOLE_CLIENT_ID: CONSOLE_CLIENT.id,
      ...environment,
    },
  })
const setCookie = ({ headers }: TestResponse): string | undefined => headers.getSetCookie().at(-1)
const cookieOf = (answer: TestResponse): string => setCookie(answer)?.split(';')[0] ?? ''
/** The service is asked where it listens, as by a proxy before it. */
const at443 = (service: TestService, method: string, path: string, { headers, ...options }: RequestOptions = {}) =>
  ask(`http://127.0.0.1:${service.port}`, method, path, { ...options, headers: { ...OWN, ...headers } })
const begin = (service: TestService, code: string, code_verifier = VERIFIER) =>
  at443(service, 'POST', '/auth/session', { json: { code, code_verifier } })
const renew = (service: TestService, cookie: string) =>
  at443(service, 'POST', '/auth/session/refresh', { headers: { Cookie: cookie } })
const end = (service: TestService, cookie: string) =>
  at443(service, 'DELETE', '/auth/session', { headers: { Cookie: cookie } })

describe('the session of a browser at an external issuer', () => {
  let issuer: OpenIdIssuer
  let service: TestService
  before(async () => {
    issuer = await openIdIssuer()
    service = await startWith(issuer.url, issuer.audience)
  })
  after(async () => {
    await service.stop()
    await issuer.stop()
  })

  const me = (answer: TestResponse) =>
    at443(service, 'GET', '/users/me', { token: textAt(answer.json, 'access_token') })
  const signedIn = async () => {
    const answer = await begin(service, await issuer.signInCode({ challenge: CHALLENGE }))
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }

  it('begins with the issuer’s code: its access token for the page, its refresh token in the cookie', async () => {
    const answer = await signedIn()
    expect(Object.keys(Object(answer.json)).sort()).to.deep.equal(['access_token', 'expires_in', 'scope', 'token_type'])
    expect(answer.json).to.include({ token_type: 'Bearer', expires_in: 600 })
    expect(answer.headers.get('Cache-Control')).to.equal('no-store')
    expect(setCookie(answer)).to.match(
      /^__Host-linkgate=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d{7}$/,
    )
    const profile = await me(answer)
    expect(profile.json, profile.text).to.include({ role: 'viewer' })
  })

  it('goes on with the issuer’s refresh token, which that replaces', async () => {
    const first = await signedIn()
    const second = await renew(service, cookieOf(first))
    expect(second.status, second.text).to.equal(200)
    expect((await me(second)).status).to.equal(200)
    expect(cookieOf(second)).to.not.equal(cookieOf(first))
    const third = await renew(service, cookieOf(second))
    expect(third.status, third.text).to.equal(200)
  })

  it('lives on where two tabs renew it at once: they share one renewal', async () => {
    const cookie = cookieOf(await signedIn())
    issuer.asked.length = 0
    const answers = await Promise.all([renew(service, cookie), renew(service, cookie)])
    answers.push(await renew(service, cookie))
    for (const answer of answers) expect(answer.status, answer.text).to.equal(200)
    expect(issuer.asked).to.deep.equal(['/token'])
    expect(new Set(answers.map(cookieOf)).size).to.equal(1)
    expect((await renew(service, cookieOf(answers[0] ?? expect.fail()))).status).to.equal(200)
  })

  it('lives on where somebody else signs out while two tabs renew it', async () => {
    const [cookie, another] = [cookieOf(await signedIn()), cookieOf(await signedIn())]
    const first = await renew(service, cookie)
    expect((await end(service, another)).status).to.equal(204)
    const second = await renew(service, cookie)
    expect(second.status, second.text).to.equal(200)
    expect(cookieOf(second)).to.equal(cookieOf(first))
    // its own sign-out ends it, with the cookie before the renewal as well
    expect((await end(service, cookieOf(first))).status).to.equal(204)
    expect((await renew(service, cookie)).status).to.equal(401)
  })

  it('ends at the issuer with the sign-out', async () => {
    const cookie = cookieOf(await signedIn())
    const ended = await end(service, cookie)
    expect([ended.status, setCookie(ended)]).to.deep.equal([204, CLEARED])
    const answer = await renew(service, cookie)
    expect([answer.status, at(answer.json, 'code'), setCookie(answer)]).to.deep.equal([401, 'session_ended', CLEARED])
    expect((await at443(service, 'DELETE', '/auth/session')).status, 'without a cookie').to.equal(204)
  })

  it('does not begin with another’s code, a used one, or another verifier', async () => {
    const code = await issuer.signInCode({ challenge: CHALLENGE })
    for (const [what, given, verifier] of [
      ['another verifier', code, 'A'.repeat(43)],
      ['no code', 'made-up', VERIFIER],
      ['a code that was used', await usedCode(), VERIFIER],
    ] as const) {
      const answer = await begin(service, given, verifier)
      expect([answer.status, at(answer.json, 'code')], what).to.deep.equal([400, 'invalid_grant'])
      expect(answer.headers.getSetCookie()).to.deep.equal([])
    }
    for (const json of [{ email: 'a@example.com', password: 'a password' }, { code }, { code, code_verifier: 'short' }])
      expect((await at443(service, 'POST', '/auth/session', { json })).status).to.equal(422)
  })
  const usedCode = async () => {
    const code = await issuer.signInCode({ challenge: CHALLENGE })
    expect((await begin(service, code)).status).to.equal(200)
    return code
  }

  it('takes requests of its own pages alone', async () => {
    const cookie = cookieOf(await signedIn())
    issuer.asked.length = 0
    for (const [method, path, json] of [
      ['POST', '/auth/session', { code: 'x', code_verifier: VERIFIER }],
      ['POST', '/auth/session/refresh', undefined],
      ['DELETE', '/auth/session', undefined],
    ] as const) {
      const headers = { 'Sec-Fetch-Site': 'cross-site', Cookie: cookie }
      const answer = await at443(service, method, path, { headers, ...(json && { json }) })
      expect([answer.status, at(answer.json, 'code')], path).to.deep.equal([403, 'cross_site'])
    }
    expect(issuer.asked).to.deep.equal([])
  })

  it('is not there where the issuer does not know the console', async () => {
    const without = await startWith(issuer.url, issuer.audience, { CONSOLE_CLIENT_ID: '' })
    try {
      expect((await begin(without, 'x')).status).to.equal(404)
    } finally {
      await without.stop()
    }
  })

  it('is 503 while the issuer is away, and goes on after that', async () => {
    const cookie = cookieOf(await signedIn())
    await issuer.stop()
    try {
      for (const answer of [await begin(service, 'x'), await renew(service, cookie), await end(service, cookie)]) {
        expect([answer.status, at(answer.json, 'code')]).to.deep.equal([503, 'issuer_unavailable'])
        expect(answer.headers.getSetCookie(), 'the session is not lost').to.deep.equal([])
      }
    } finally {
      await issuer.start()
    }
    expect((await renew(service, cookie)).status).to.equal(200)
  })

  it('begins at an address that the issuer takes: it asks whoever comes to sign in', async () => {
    const session = createIssuerSession({
      issuer: issuer.url,
      audience: issuer.audience,
      clientId: CONSOLE_CLIENT.id,
      onFault: (error) => expect.fail(String(error)),
    })
    const url = new URL(await session.authorizationUrl(BASE_URL))
    expect(`${url.origin}${url.pathname}`).to.equal(`${issuer.url}/auth`)
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      response_type: 'code',
      client_id: CONSOLE_CLIENT.id,
      redirect_uri: CONSOLE_CLIENT.redirectUri,
      scope: `openid ${ACTIONS.join(' ')} offline_access`,
      code_challenge_method: 'S256',
      resource: issuer.audience,
    })
    url.searchParams.set('state', 'a-state')
    url.searchParams.set('code_challenge', CHALLENGE)
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.headers.get('Location')).to.match(/^\/interaction\//)
  })
})

describe('an issuer that answers otherwise', () => {
  /** A service whose issuer answers this at its token endpoint, and what that was asked. */
  const withIssuer = async <T>(
    script: {
      readonly discovery?: Readonly<Record<string, unknown>>
      readonly token?: (asked: Asked) => Scripted
      readonly revoke?: Scripted
    },
    work: (service: TestService, asked: readonly Asked[]) => Promise<T>,
  ): Promise<T> => {
    let url = ''
    const server = await startScriptedServer((asked) => {
      if (asked.path === '/token') return script.token?.(asked) ?? json({}, 500)
      if (asked.path === '/revoke') return script.revoke ?? json({})
      return json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        revocation_endpoint: `${url}/revoke`,
        ...script.discovery,
      })
    })
    url = server.baseUrl
    const service = await startWith(url, 'linkgate')
    try {
      return await work(service, server.asked)
    } finally {
      await service.stop()
      await server.stop()
    }
  }
  const tokens = { access_token: 'an-access-token', token_type: 'bearer' }
  const refusal = (error: string, status = 400): Scripted => ({ status, body: JSON.stringify({ error }) })

  it('with no refresh token leaves no cookie, and with no life of the access token a short one', async () => {
    await withIssuer({ token: () => json(tokens) }, async (service, asked) => {
      const answer = await begin(service, 'a-code')
      expect(answer.json).to.deep.equal({
        access_token: 'an-access-token',
        token_type: 'Bearer',
        expires_in: 60,
        scope: ACTIONS.join(' '),
      })
      expect(setCookie(answer)).to.equal(CLEARED)
      expect(Object.fromEntries(new URLSearchParams(asked.at(-1)?.body))).to.deep.equal({
        grant_type: 'authorization_code',
        code: 'a-code',
        code_verifier: VERIFIER,
        redirect_uri: CONSOLE_CLIENT.redirectUri,
        client_id: CONSOLE_CLIENT.id,
      })
    })
  })

  it('with a refresh token of any characters gets it back, and keeps it where it gives no other', async () => {
    const refresh_token = 'a; b="c",\\d%é'
    let first = true
    const token = () => {
      const answer = json({ ...tokens, expires_in: '90', ...(first && { refresh_token }) })
      first = false
      return answer
    }
    await withIssuer({ token }, async (service, asked) => {
      let cookie = cookieOf(await begin(service, 'a-code'))
      expect(cookie).to.match(/^__Host-linkgate=[A-Za-z0-9%._~-]+$/)
      const renewed = await renew(service, cookie)
      expect(renewed.json, renewed.text).to.include({ expires_in: 90 })
      expect(new URLSearchParams(asked.at(-1)?.body).get('refresh_token')).to.equal(refresh_token)
      expect(cookieOf(renewed)).to.equal(cookie)
      cookie = cookieOf(renewed)
      expect((await end(service, cookie)).status).to.equal(204)
      const form = Object.fromEntries(new URLSearchParams(asked.at(-1)?.body))
      expect(form).to.deep.equal({
        token: refresh_token,
        token_type_hint: 'refresh_token',
        client_id: CONSOLE_CLIENT.id,
      })
    })
  })

  it('that could not renew a session is asked again at the next try, with the same refresh token', async () => {
    let renewals = 0
    const token = ({ body }: Asked) => {
      if (body.includes('refresh_token=') && (renewals += 1) === 1) return json({ error: 'server_error' }, 500)
      return json({ ...tokens, refresh_token: 'r' })
    }
    await withIssuer({ token }, async (service) => {
      const cookie = cookieOf(await begin(service, 'a-code'))
      const failed = await renew(service, cookie)
      expect([failed.status, at(failed.json, 'code')], failed.text).to.deep.equal([503, 'issuer_unavailable'])
      const renewed = await renew(service, cookie)
      expect([renewed.status, renewals], renewed.text).to.deep.equal([200, 2])
    })
  })

  it('with a refresh token that is too long for a cookie leaves none', async () => {
    const token = () => json({ ...tokens, refresh_token: 'x'.repeat(4_000) })
    await withIssuer({ token }, async (service) => {
      expect(setCookie(await begin(service, 'a-code'))).to.equal(CLEARED)
    })
  })

  it('with no revocation endpoint is told nothing of a sign-out', async () => {
    const token = () => json({ ...tokens, refresh_token: 'r' })
    await withIssuer({ token, discovery: { revocation_endpoint: undefined } }, async (service, asked) => {
      const cookie = cookieOf(await begin(service, 'a-code'))
      const before = asked.length
      const ended = await end(service, cookie)
      expect([ended.status, setCookie(ended)]).to.deep.equal([204, CLEARED])
      expect(asked.length).to.equal(before)
    })
  })

  it('that ends the session itself is believed', async () => {
    const token = ({ body }: Asked) =>
      body.includes('refresh_token=') ? refusal('invalid_grant') : json({ ...tokens, refresh_token: 'r' })
    await withIssuer({ token }, async (service) => {
      const answer = await renew(service, cookieOf(await begin(service, 'a-code')))
      expect([answer.status, at(answer.json, 'code'), setCookie(answer)]).to.deep.equal([401, 'session_ended', CLEARED])
    })
  })

  for (const [what, token] of [
    ['does not know the client', () => refusal('invalid_client', 401)],
    ['has a fault', () => json({ error: 'server_error' }, 500)],
    ['answers no JSON', (): Scripted => ({ type: 'text/html', body: '<h1>Sign in</h1>' })],
    ['answers no tokens', () => json({ access_token: '' })],
    ['answers tokens of another kind', () => json({ ...tokens, token_type: 'DPoP' })],
    ['leads elsewhere', (): Scripted => ({ status: 307, headers: { Location: 'http://127.0.0.1:1/' } })],
    ['breaks off', (): Scripted => ({ breaksOff: 'after', body: '{"access_token":' })],
  ] as const) {
    it(`that ${what} is 503, and nothing of what it said is told`, async () => {
      await withIssuer({ token }, async (service) => {
        const answer = await begin(service, 'a-code')
        expect([answer.status, at(answer.json, 'code')], answer.text).to.deep.equal([503, 'issuer_unavailable'])
        expect(answer.text).to.not.match(/invalid_client|server_error|Sign in|access_token/)
      })
    })
  }

  it('that is away is asked once by all who wait, and again a while later', async () => {
    let [url, isAway, time] = ['', true, 0]
    const server = await startScriptedServer(() =>
      isAway
        ? json({}, 503)
        : json({ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` }),
    )
    url = server.baseUrl
    try {
      const faults: unknown[] = []
      const session = createIssuerSession({
        issuer: url,
        audience: 'linkgate',
        clientId: CONSOLE_CLIENT.id,
        onFault: (error) => faults.push(error),
        now: () => time,
      })
      const asked = () => session.authorizationUrl(BASE_URL).catch((error: unknown) => at(error, 'code'))
      const away = 'issuer_unavailable'
      expect(await Promise.all([asked(), asked()])).to.deep.equal([away, away])
      isAway = false
      time = 4_999
      expect(await asked()).to.equal(away)
      expect([server.asked.length, faults.length]).to.deep.equal([1, 1])
      time = 5_000
      expect(await Promise.all([asked(), asked()])).to.satisfy((urls: string[]) =>
        urls.every((each) => each.startsWith(`${url}/authorize?`)),
      )
      expect(server.asked.length).to.equal(2)
    } finally {
      await server.stop()
    }
  })

  it('that renews a session during its sign-out is told to end what it gave for it', async () => {
    const held = deferred()
    let url = ''
    const server = await startScriptedServer(({ path }) => {
      if (path === '/token') return { ...json({ ...tokens, refresh_token: 'second' }), until: held.promise }
      return json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        revocation_endpoint: `${url}/revoke`,
      })
    })
    url = server.baseUrl
    try {
      const session = createIssuerSession({
        issuer: url,
        audience: 'linkgate',
        clientId: CONSOLE_CLIENT.id,
        onFault: (error) => expect.fail(String(error)),
      })
      const renewed = session.refresh('first')
      const ended = session.end('first')
      held.resolve()
      expect((await renewed).refreshToken).to.equal('second')
      await ended
      const revoked = server.asked.filter(({ path }) => path === '/revoke').map(({ body }) => new URLSearchParams(body))
      expect(revoked.map((form) => form.get('token'))).to.deep.equal(['second'])
    } finally {
      await server.stop()
    }
  })

  it('that names another issuer, or sends people over plain http, is not asked', async () => {
    for (const discovery of [
      { issuer: 'https://other.example' },
      { authorization_endpoint: 'http://a.example/auth' },
    ]) {
      await withIssuer({ discovery, token: () => json(tokens) }, async (service, asked) => {
        expect((await begin(service, 'a-code')).status).to.equal(503)
        expect(asked.map(({ path }) => path)).to.not.include('/token')
      })
    }
  })
})
