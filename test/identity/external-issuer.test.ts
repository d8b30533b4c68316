import { randomUUID } from 'node:crypto'

import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'

import { createAccounts } from '../../src/identity/accounts.js'
import { testDatabase } from '../support/database.js'
import { halfRequest } from '../support/half-request.js'
import { openIdIssuer, type OpenIdIssuer } from '../support/openid-issuer.js'
import { at, textAt } from '../support/json.js'
import { startTestService, type TestService } from '../support/service.js'
import { madeSigningKey } from '../support/signing-key.js'

const claimsOf = (token: string): Readonly<Record<string, unknown>> => ({ ...decodeJwt(token) })

describe('an external OpenID Connect issuer', () => {
  let issuer: OpenIdIssuer
  let service: TestService
  let ada: string
  const services: TestService[] = []

  const start = async (environment: Readonly<Record<string, string>> = {}, db = service?.db) => {
    const started = await startTestService({
      environment: { JWT_ISSUER: issuer.url, JWT_AUDIENCE: issuer.audience, ...environment },
      ...(db ? { db } : {}),
    })
    services.push(started)
    return started
  }
  const link = async (id: string, subject: string) => {
    await service.db.asOwner('insert into external_identities (issuer, subject, user_id) values ($1, $2, $3)', [
      issuer.url,
      subject,
      id,
    ])
  }
  const me = (token: string, on = service) => on.request('GET', '/users/me', { token })

  before(async () => {
    issuer = await openIdIssuer()
    service = await start()
    ada = (await service.addUser('editor')).id
    await link(ada, 'ada')
  })
  after(async () => {
    for (const each of services) await each.stop()
    await issuer.stop()
  })

  for (const alg of ['RS256', 'ES256'] as const) {
    it(`signs callers in with ${alg}, as the users that its subjects are linked to`, async () => {
      const token = await issuer.accessToken({ alg })
      expect(decodeProtectedHeader(token)).to.include({ alg, typ: 'at+jwt' })
      const answer = await me(token)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json).to.include({ id: ada, role: 'editor' })
    })
  }

  it('grants the scopes of its tokens and no others', async () => {
    const token = await issuer.accessToken({ scope: 'link:create' })
    expect(
      (await service.request('POST', '/links', { token, json: { target: 'https://example.com/' } })).status,
    ).to.equal(201)
    expect((await me(token)).json).to.include({ code: 'insufficient_scope' })
  })

  it('has its keys fetched once by concurrent requests', async () => {
    const fresh = await start()
    const token = await issuer.accessToken()
    issuer.asked.length = 0
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(token, fresh)))
    for (const { status } of answers) expect(status).to.equal(200)
    expect(issuer.asked).to.deep.equal(['/.well-known/openid-configuration', '/jwks'])
  })

  it('needs no discovery where JWKS_URI says where its keys are', async () => {
    const fresh = await start({ JWKS_URI: `${issuer.url}/jwks` })
    const token = await issuer.accessToken()
    issuer.asked.length = 0
    expect((await me(token, fresh)).status).to.equal(200)
    expect(issuer.asked).to.deep.equal(['/jwks'])
  })

  it('is refused for another audience, another algorithm, or an ID token', async () => {
    const onlyRsa = await start({ JWT_ALGORITHMS: 'RS256' })
    const constant = new Set<string>()
    for (const [what, token, on] of [
      ['another audience', await issuer.accessToken({ audience: 'https://other.example.com' }), service],
      ['an ID token', await issuer.idToken('ada'), service],
      ['an algorithm that is not among JWT_ALGORITHMS', await issuer.accessToken({ alg: 'ES256' }), onlyRsa],
      ['an own token of this service', await service.tokenFor({ id: ada }), service],
    ] as const) {
      const answer = await me(token, on)
      expect(answer.status, `${what}: ${answer.text}`).to.equal(401)
      constant.add(JSON.stringify({ ...Object(answer.json), request_id: '' }))
    }
    expect(constant.size).to.equal(1)
  })

  it('has one algorithm per key: a key of RS256 verifies no PS256', async () => {
    const fresh = await start({ JWT_ALGORITHMS: 'RS256,PS256' })
    const claims = claimsOf(await issuer.accessToken())
    expect((await me(issuer.forge('RS256', claims), fresh)).status).to.equal(200)
    expect((await me(issuer.forge('RS256', claims, { alg: 'PS256' }), fresh)).status).to.equal(401)
  })

  it('refuses a subject that is linked to nobody, and adds no user', async () => {
    const [before] = await service.db.asOwner('select count(*) from users')
    const answer = await me(await issuer.accessToken({ subject: 'eve' }))
    expect(answer.status, answer.text).to.equal(401)
    expect(answer.json).to.include({ code: 'invalid_token' })
    expect((await service.db.asOwner('select count(*) from users'))[0]).to.deep.equal(before)
  })

  it('never takes a subject for the id of a user, nor another issuer’s subject for its own', async () => {
    await service.db.asOwner('insert into external_identities (issuer, subject, user_id) values ($1, $2, $3)', [
      'https://other.example.com',
      'mallory',
      ada,
    ])
    for (const sub of [ada, 'mallory', 'ADA', 'ada ', `${ada}`.padStart(4, '0')]) {
      const token = issuer.forge('ES256', { ...claimsOf(await issuer.accessToken()), sub })
      expect((await me(token)).status, sub).to.equal(401)
    }
    for (const sub of ['ada\0', '\ud800', 'a\nda']) {
      const token = issuer.forge('ES256', JSON.stringify({ ...claimsOf(await issuer.accessToken()), sub }))
      expect((await me(token)).status, JSON.stringify(sub)).to.equal(401)
    }
  })

  it('has sign-ins of its own, whose sid is none of ours', async () => {
    for (const sid of ['session 7', randomUUID()]) {
      const token = issuer.forge('ES256', { ...claimsOf(await issuer.accessToken()), sid })
      expect((await me(token)).status, sid).to.equal(200)
    }
  })

  it('adds one viewer for an unknown subject where the setting says so, also under concurrency', async () => {
    const open = await start({ JWT_UNKNOWN_SUBJECTS: 'viewer' })
    const token = await issuer.accessToken({ subject: 'newcomer' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(token, open)))
    for (const { status, text } of answers) expect(status, text).to.equal(200)
    expect(new Set(answers.map(({ json }) => at(json, 'id'))).size).to.equal(1)
    expect(answers[0]?.json).to.include({ role: 'viewer', name: '' })
    expect(textAt(answers[0]?.json, 'email')).to.match(/^[0-9a-f]{32}@subject\.invalid$/)
    expect(
      await open.db.asOwner(`select subject from external_identities where issuer = $1 and subject = 'newcomer'`, [
        issuer.url,
      ]),
    ).to.have.length(1)
    // as good as any other user from then on, where unknown ones are refused too
    expect((await me(token)).json).to.include({ role: 'viewer' })
  })

  it('leaves role and suspension to this service: they bind the next request', async () => {
    const token = await issuer.accessToken({ subject: 'bob' })
    const bob = await service.addUser('editor')
    await link(bob.id, 'bob')
    const accounts = createAccounts(service.database)
    expect((await me(token)).json).to.include({ role: 'editor' })
    await accounts.setRole(bob.id, 'viewer')
    expect((await me(token)).json).to.include({ role: 'viewer' })
    await accounts.setSuspended(bob.id, true)
    expect((await me(token)).status).to.equal(401)
  })

  describe('whose caller has made a change', () => {
    const scope = 'link:create link:update'
    const links = async () =>
      service.db.asOwner<{ target: string; owner_id: string }>(
        'select target, owner_id from links where target like $1 order by id',
        ['%/remembered%'],
      )
    const unlink = async (subject: string) =>
      service.db.asOwner('delete from external_identities where issuer = $1 and subject = $2', [issuer.url, subject])
    const create = (token: string, mark: string) =>
      service.request('POST', '/links', { token, json: { target: `https://example.com/remembered-${mark}` } })
    /** An editor who has just been found for a change, with the link that they made by it. */
    const editorWithLink = async (subject: string) => {
      const { id } = await service.addUser('editor')
      await link(id, subject)
      const token = await issuer.accessToken({ subject, scope })
      const made = await create(token, 'before')
      expect(made.status, made.text).to.equal(201)
      return { id, token, code: textAt(made.json, 'code') }
    }
    afterEach(() => unlink('late'))

    for (const method of ['PATCH', 'POST'] as const) {
      it(`refuses their ${method} once their subject is linked to nobody, also while its body comes`, async () => {
        const { token, code } = await editorWithLink('late')
        const before = await links()
        const request = {
          method,
          path: method === 'POST' ? '/links' : `/links/${code}`,
          token,
          json: { target: 'https://example.com/remembered-too-late' },
        }
        const begun = await halfRequest(service.baseUrl, { ...request, headers: { Connection: 'close' } })
        await unlink('late')
        expect(await begun.finish()).to.equal(401)
        const refused = await service.request(method, request.path, request)
        expect([refused.status, at(refused.json, 'code')], refused.text).to.deep.equal([401, 'invalid_token'])
        expect(await links()).to.deep.equal(before)
      })
    }

    it('attributes their next change to the user whom their subject is linked to now', async () => {
      const { id, token, code } = await editorWithLink('late')
      const next = await service.addUser('editor')
      await service.db.asOwner('update external_identities set user_id = $3 where issuer = $1 and subject = $2', [
        issuer.url,
        'late',
        next.id,
      ])
      const made = await create(token, 'after')
      expect([made.status, at(made.json, 'owner_id')], made.text).to.deep.equal([201, next.id])
      const refused = await service.request('PATCH', `/links/${code}`, {
        token,
        json: { target: 'https://example.com/remembered-too-late' },
      })
      expect([refused.status, at(refused.json, 'rule')], refused.text).to.deep.equal([403, 'R5'])
      expect((await links()).filter(({ owner_id }) => owner_id === id)).to.deep.equal([
        { target: 'https://example.com/remembered-before', owner_id: id },
      ])
    })
  })

  it('has personal tokens beside it, which name our own users', async () => {
    const token = await issuer.accessToken()
    const made = await service.request('POST', '/users/me/tokens', {
      token,
      json: { name: 'a key', scopes: ['profile:read'] },
    })
    expect(made.status, made.text).to.equal(201)
    const answer = await me(textAt(made.json, 'token'))
    expect(answer.json).to.include({ id: ada })
  })

  it('shares no limit with a personal token, whatever subject and id its tokens name', async () => {
    const fresh = await start({ RATE_LIMIT_USER: '2/600' })
    const owner = await service.addUser('editor')
    await link(owner.id, 'owner')
    // another person, whose subject at the issuer is our id of the owner
    await link((await service.addUser('editor')).id, owner.id)
    const claims = claimsOf(await issuer.accessToken())
    const signedIn = issuer.forge('ES256', { ...claims, sub: 'owner' })
    const made = await service.request('POST', '/users/me/tokens', {
      token: signedIn,
      json: { name: 'a key', scopes: ['profile:read'] },
    })
    const id = textAt(made.json, 'id')
    const personal = textAt(made.json, 'token')
    for (const status of [200, 200, 429]) expect((await me(personal, fresh)).status).to.equal(status)
    // and whose token has the id under which the personal one is known
    const token = issuer.forge('ES256', { ...claims, sub: owner.id, jti: `personal:${id}` })
    expect((await me(token, fresh)).headers.get('RateLimit')).to.match(/^"user";r=1;/)

    const other = await start({ RATE_LIMIT_USER: '100/600' })
    expect((await me(personal, other)).status).to.equal(200)
    expect((await service.request('DELETE', `/users/me/tokens/${id}`, { token: signedIn })).status).to.equal(204)
    expect((await me(personal, other)).status).to.equal(401)
    const answer = await me(token, other)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('RateLimit-Policy'), 'still counted as its user').to.match(/^"user"/)
  })

  it('replaces the own issuer: there is no sign-in, no invitation and no key of ours', async () => {
    const token = await issuer.accessToken()
    for (const [path, json] of [
      ['/auth/token', { grant_type: 'password' }],
      ['/auth/revoke', { token: 'x' }],
      ['/users/invitations', { email: 'a@example.com', role: 'viewer' }],
    ] as const) {
      // PATCH and GET know /users/{id}, so that path is a 405
      expect((await service.request('POST', path, { token, json })).status, path).to.be.oneOf([404, 405])
    }
    expect((await service.request('GET', '/.well-known/jwks.json')).json).to.deep.equal({ keys: [] })
    expect((await service.request('GET', '/openapi.json')).text).to.not.include('/auth/token')
  })

  it('signs no decision log: our key does, and nodes that share it verify each other’s checkpoints', async () => {
    const db = await testDatabase()
    const environment = {
      JWT_ISSUER: issuer.url,
      JWT_AUDIENCE: issuer.audience,
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    const one = await startTestService({ environment, db })
    const other = await startTestService({ environment, db })
    try {
      const { id } = await one.addUser('admin')
      await db.asOwner('insert into external_identities (issuer, subject, user_id) values ($1, $2, $3)', [
        issuer.url,
        'ada',
        id,
      ])
      // it signs the log when it stops
      await one.stop()
      const token = await issuer.accessToken()
      const { json, text } = await other.request('GET', '/audit/proof', { token })
      expect(at(json, 'checkpoints', 0), text).to.include({ valid: true, key: textAt(json, 'key', 'thumbprint') })
    } finally {
      await other.stop()
    }
  })

  it('may rotate its keys: a token under a new one is accepted at once', async () => {
    const old = await issuer.accessToken()
    expect((await me(old)).status).to.equal(200)
    issuer.rotate()
    for (const alg of ['RS256', 'ES256'] as const) {
      const answer = await me(await issuer.accessToken({ alg }))
      expect(answer.status, answer.text).to.equal(200)
    }
    // the set is taken whole: what the issuer no longer shows is no longer believed
    expect((await me(old)).status).to.equal(401)
  })

  it('is asked a few times a minute at most, and never for tokens whose claims are refused', async () => {
    const fresh = await start()
    const good = await issuer.accessToken()
    expect((await me(good, fresh)).status).to.equal(200)
    issuer.asked.length = 0
    const claims = { ...claimsOf(good) }
    const invented = (changes: Readonly<Record<string, unknown>> = {}) =>
      issuer.forge('ES256', { ...claims, ...changes }, { kid: randomUUID() })
    for (const changes of [
      { aud: 'other' },
      { iss: 'https://other.example.com' },
      { exp: 1 },
      { sub: 7 },
      { jti: undefined },
    ]) {
      expect((await me(invented(changes), fresh)).status).to.equal(401)
    }
    expect(issuer.asked).to.deep.equal([])
    // each waits for a fetch that began after it, and all share that
    for (const length of [200, 20]) {
      const answers = await Promise.all(Array.from({ length }, () => me(invented(), fresh)))
      for (const { status } of answers) expect(status).to.equal(401)
    }
    expect(issuer.asked.length).to.be.within(1, 4)
    expect((await me(good, fresh)).status).to.equal(200)
  })

  it('is not asked for keys by an address over its limit, against which good tokens do not count', async () => {
    const fresh = await start({ RATE_LIMIT_ANONYMOUS: '3/60' })
    for (let i = 0; i < 4; i++) {
      issuer.rotate()
      expect((await me(await issuer.accessToken(), fresh)).status).to.equal(200)
    }
    const claims = claimsOf(await issuer.accessToken())
    const invented = async (length: number) => {
      const token = () => issuer.forge('ES256', claims, { kid: randomUUID() })
      const answers = await Promise.all(Array.from({ length }, () => me(token(), fresh)))
      return answers.map(({ status }) => status).sort()
    }
    expect(await invented(5)).to.deep.equal([401, 401, 401, 429, 429])
    issuer.asked.length = 0
    expect(await invented(5)).to.deep.equal([429, 429, 429, 429, 429])
    expect(issuer.asked).to.deep.equal([])
  })

  describe('that is away', () => {
    it('changes nothing where its keys are known, also under a flood of invented ones', async () => {
      const fresh = await start()
      const good = await issuer.accessToken()
      expect((await me(good, fresh)).status).to.equal(200)
      await issuer.stop()
      try {
        for (let i = 0; i < 10; i++) {
          const unknown = await me(issuer.forge('ES256', claimsOf(good), { kid: randomUUID() }), fresh)
          expect(unknown.status, unknown.text).to.equal(503)
          expect((await me(good, fresh)).status).to.equal(200)
        }
      } finally {
        await issuer.start()
      }
    })

    it('is a 503, not a 401, where its keys are not known, without a fetch for each request', async () => {
      const good = await issuer.accessToken()
      await issuer.stop()
      const fresh = await start()
      try {
        for (let i = 0; i < 10; i++) {
          const answer = await me(good, fresh)
          expect(answer.status, answer.text).to.equal(503)
          expect(answer.json).to.include({ code: 'issuer_unavailable' })
          expect(answer.headers.get('Retry-After')).to.match(/^\d+$/)
        }
        // what needs no key is answered all the same
        expect((await fresh.request('GET', '/healthz')).status).to.equal(200)
        expect((await me('x.y.z', fresh)).status).to.equal(401)
      } finally {
        await issuer.start()
      }
    })

    it('is asked again when it is back', async () => {
      const good = await issuer.accessToken()
      await issuer.stop()
      const fresh = await start()
      expect((await me(good, fresh)).status).to.equal(503)
      await issuer.start()
      const answer = await me(good, fresh)
      expect(answer.status, answer.text).to.equal(200)
    })
  })
})
