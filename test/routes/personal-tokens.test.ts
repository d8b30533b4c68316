import { createHash } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { ACTIONS } from '../../src/domain/action.js'
import { createPasswords } from '../../src/identity/password.js'
import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { BY_HAND } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('personal tokens over HTTP', () => {
  let service: TestService
  let other: TestService
  let ada: TestUser
  let root: TestUser
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
    ada = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  const make = (json: unknown, token = ada.token, on = service) =>
    on.request('POST', '/users/me/tokens', { token, json })
  const made = async (scopes: readonly string[], token = ada.token) => {
    const answer = await make({ name: 'a key', scopes }, token)
    expect(answer.status, answer.text).to.equal(201)
    return { id: textAt(answer.json, 'id'), value: textAt(answer.json, 'token') }
  }
  const list = async (token = ada.token) =>
    listAt((await service.request('GET', '/users/me/tokens', { token })).json, 'data')
  const statusOf = async (token: string, method = 'GET', path = '/users/me', json?: unknown, on = service) =>
    (await on.request(method, path, { token, ...(json === undefined ? {} : { json }) })).status

  it('show their value once', async () => {
    const answer = await make({
      name: '  the build  ',
      scopes: ['link:create', 'link:read', 'link:create'],
      expires_in: 3_600,
    })
    expect(textAt(answer.json, 'token')).to.match(/^lgp_[A-Za-z0-9_-]{43}$/)
    expect(answer.json).to.deep.include({ name: 'the build', scopes: ['link:create', 'link:read'], last_used_at: null })
    expect(Date.parse(textAt(answer.json, 'expires_at'))).to.be.closeTo(Date.now() + 3_600_000, 30_000)
    expect(answer.headers.get('Cache-Control')).to.equal('no-store')
    const listed = JSON.stringify(await list())
    expect(listed).to.include('the build').and.not.include(textAt(answer.json, 'token')).and.not.include('hash')
  })

  it('are kept as SHA-256 alone', async () => {
    const { id, value } = await made(['link:read'])
    const stored = JSON.stringify(
      await service.db.asOwner(`select t.*, encode(token_hash, 'hex') as hash from personal_tokens t where id = $1`, [
        id,
      ]),
    )
    expect(stored).to.include(createHash('sha256').update(value).digest('hex'))
    expect(stored).to.not.include(value).and.not.include(value.slice(4))
  })

  it('name their user: what they make is the user’s', async () => {
    const { value } = await made(['link:create', 'profile:read'])
    expect((await service.request('GET', '/users/me', { token: value })).json).to.include({ id: ada.id })
    const link = await service.request('POST', '/links', { token: value, json: { target: 'https://example.com/' } })
    expect(link.json).to.include({ owner_id: ada.id })
  })

  it('for reading alone read and change nothing', async () => {
    const { value } = await made(['link:read'])
    expect(await statusOf(value, 'GET', '/links')).to.equal(200)
    for (const [method, path, json] of [
      ['POST', '/links', { target: 'https://example.com/' }],
      ['PATCH', '/links/absent', { target: 'https://example.com/' }],
      ['DELETE', '/links/absent', undefined],
      ['GET', '/users/me', undefined],
      ['PATCH', '/users/me', { name: 'x' }],
      ['POST', '/users/me/tokens', { name: 'x', scopes: [] }],
      ['GET', '/users', undefined],
    ] as const) {
      expect(await statusOf(value, method, path, json), `${method} ${path}`).to.equal(403)
    }
  })

  it('for creating alone create, and neither list nor change nor delete', async () => {
    const { value } = await made(['link:create'])
    const link = await service.request('POST', '/links', { token: value, json: { target: 'https://example.com/' } })
    expect(link.status).to.equal(201)
    const path = `/links/${textAt(link.json, 'code')}`
    expect(await statusOf(value, 'GET', '/links')).to.equal(403)
    expect(await statusOf(value, 'PATCH', path, { target: 'https://example.org/' })).to.equal(403)
    expect(await statusOf(value, 'DELETE', path)).to.equal(403)
    expect(await statusOf(ada.token, 'GET', path)).to.equal(200)
  })

  it('without a scope grant nothing, to an admin neither', async () => {
    for (const user of [ada, root]) {
      const { value } = await made([], user.token)
      for (const { method, path, gateway } of service.routes) {
        // what a bulk request asks for is in its body (test/routes/bulk.test.ts)
        if (gateway.scope === 'public' || gateway.scope === 'items') continue
        expect(
          await statusOf(
            value,
            method.toUpperCase(),
            path.replaceAll(/:[a-z]+/g, '1'),
            method === 'post' || method === 'patch' ? {} : undefined,
          ),
          `${method} ${path}`,
        ).to.equal(403)
      }
    }
  })

  it('never reach beyond the token that makes them, over any number of generations', async () => {
    const narrow = await service.tokenFor(ada, 'profile:update link:read')
    for (const scope of ACTIONS) {
      const answer = await make({ name: 'more', scopes: ['link:read', scope] }, narrow)
      const held = scope === 'profile:update' || scope === 'link:read'
      expect(answer.status, `${scope} ${answer.text}`).to.equal(held ? 201 : 422)
      if (!held) expect(at(answer.json, 'errors', 0, 'field')).to.equal('scopes.1')
    }
    const maker = await service.tokenFor(ada, 'profile:update link:read token:create')
    const child = await made(['profile:update', 'token:create'], maker)
    expect((await make({ name: 'grandchild', scopes: ['link:read'] }, child.value)).status).to.equal(422)
    expect((await make({ name: 'grandchild', scopes: ['profile:update'] }, child.value)).status).to.equal(201)
  })

  it('are refused where they ask for what is no scope, no name or no time', async () => {
    for (const json of [
      { name: 'x' },
      { scopes: [] },
      { name: '', scopes: [] },
      { name: 'n'.repeat(101), scopes: [] },
      { name: 'x', scopes: 'link:read' },
      { name: 'x', scopes: ['*'] },
      { name: 'x', scopes: ['link:*'] },
      { name: 'x', scopes: ['LINK:READ'] },
      { name: 'x', scopes: ['link:read link:delete'] },
      { name: 'x', scopes: [null] },
      { name: 'x', scopes: [], expires_in: 59 },
      { name: 'x', scopes: [], expires_in: 366 * 86_400 },
      { name: 'x', scopes: [], expires_in: '3600' },
      { name: 'x', scopes: [], expires_in: 60.5 },
      { name: 'x', scopes: [], user_id: root.id },
    ]) {
      expect((await make(json)).status, JSON.stringify(json)).to.equal(422)
    }
  })

  it('end at once on every node when they are revoked, and only one’s own can be', async () => {
    const { id, value } = await made(['profile:read', 'link:read'])
    for (const on of [service, other]) expect(await statusOf(value, 'GET', '/users/me', undefined, on)).to.equal(200)
    for (const stranger of [root, await service.addUser('editor')]) {
      expect(await statusOf(stranger.token, 'DELETE', `/users/me/tokens/${id}`)).to.equal(404)
      expect(JSON.stringify(await list(stranger.token))).to.not.include(`"${id}"`)
    }
    expect(await statusOf(value, 'GET', '/users/me', undefined, other)).to.equal(200)
    expect(await statusOf(ada.token, 'DELETE', `/users/me/tokens/${id}`)).to.equal(204)
    for (const on of [service, other]) {
      expect(await statusOf(value, 'GET', '/users/me', undefined, on)).to.equal(401)
      expect(await statusOf(value, 'GET', '/links/absent', undefined, on), 'public routes too').to.equal(401)
    }
    expect(await statusOf(ada.token, 'DELETE', `/users/me/tokens/${id}`)).to.equal(404)
    expect(JSON.stringify(await list())).to.not.include(`"${id}"`)
  })

  it('are at most 100 live ones a user, exactly, also under concurrency; an expired one makes room', async () => {
    const user = await service.addUser('viewer')
    const ask = (on = service) => make({ name: 'one more', scopes: [] }, user.token, on)
    await service.db.asOwner(
      `
      with decided as (select set_config('app.decision', $2, false))
      insert into personal_tokens (user_id, name, token_hash, scopes, expires_at)
      select $1, 'many', sha256(n::text::bytea), '{}', now() + interval '1 day' from decided, generate_series(1, 97) n`,
      [user.id, BY_HAND],
    )
    // all of them are under way at once: they wait for the user's row
    const holder = new Client(service.db.owner)
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from users where id = $1 for update', [user.id])
    const asked = Array.from({ length: 8 }, (_, i) => ask(i % 2 === 0 ? service : other))
    await lockWaiters(service.db.asOwner, 8)
    await holder.query('commit')
    await holder.end()
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([
      201,
      201,
      201,
      ...Array.from({ length: 5 }, () => 409),
    ])
    expect(answers.find(({ status }) => status === 409)?.json).to.include({ code: 'too_many_tokens' })
    expect((await make({ name: 'somebody else’s', scopes: [] })).status).to.equal(201)
    const [{ id } = { id: '' }] = await service.db.asOwner<{ id: string }>(
      'select id from personal_tokens where user_id = $1 limit 1',
      [user.id],
    )
    expect((await service.request('DELETE', `/users/me/tokens/${id}`, { token: user.token })).status).to.equal(204)
    expect((await ask()).status).to.equal(201)
    expect((await ask()).status).to.equal(409)
  })

  it('end at their end', async () => {
    const { id, value } = await made(['profile:read'])
    await service.db.asOwner('update personal_tokens set expires_at = now() where id = $1', [id])
    expect(await statusOf(value)).to.equal(401)
    expect(JSON.stringify(await list())).to.not.include(`"${id}"`)
  })

  it('tell when they were last used, within a minute, and write no row for each use', async () => {
    const { id, value } = await made(['profile:read'])
    const lastUsed = async () =>
      at(
        (await list()).find((token) => at(token, 'id') === id),
        'last_used_at',
      )
    expect(await lastUsed()).to.equal(null)
    await statusOf(value)
    const first = await lastUsed()
    expect(Date.parse(String(first))).to.be.closeTo(Date.now(), 30_000)
    for (let i = 0; i < 5; i++) await statusOf(value)
    expect(await lastUsed()).to.equal(first)
    await service.db.asOwner(`update personal_tokens set last_used_at = now() - interval '2 minutes' where id = $1`, [
      id,
    ])
    await statusOf(value)
    expect(Date.parse(String(await lastUsed()))).to.be.closeTo(Date.now(), 30_000)
  })

  it('leave a record of who made and ended them', async () => {
    const { id } = await made(['link:read'])
    await statusOf(ada.token, 'DELETE', `/users/me/tokens/${id}`)
    const records = await service.db.asOwner(
      `select subject_id, action, rule from decisions where resource_type = 'personal_token' and resource_code = $1`,
      [id],
    )
    expect(records).to.deep.equal(
      Array.from({ length: 2 }, () => ({ subject_id: ada.id, action: 'profile:update', rule: 'R7' })),
    )
  })

  for (const token of [
    'lgp_',
    `lgp_${'A'.repeat(43)}`,
    `lgp_${'A'.repeat(42)}`,
    `lgp_${'A'.repeat(44)}`,
    `LGP_${'A'.repeat(43)}`,
    `lgp_${'A'.repeat(42)}'`,
    `lgp_${'A'.repeat(42)}=`,
  ]) {
    it(`${token.slice(0, 8)}… (${token.length}) that nobody was given is 401`, async () => {
      expect(await statusOf(token)).to.equal(401)
    })
  }

  describe('that made others', () => {
    const WITH_TOKENS = [...ACTIONS, 'token:create']
    const tokenOf = (user: TestUser) => service.tokenFor(user, WITH_TOKENS.join(' '))
    const live = async (user: TestUser) => (await list(user.token)).map((each) => textAt(each, 'id'))

    it('need the scope token:create, which nobody has who did not ask for it', async () => {
      const bob = await service.addUser('editor')
      const plain = await made(['profile:update'], bob.token)
      const refused = await make({ name: 'another', scopes: [] }, plain.value)
      expect(refused.status).to.equal(403)
      expect(at(refused.json, 'code')).to.equal('insufficient_scope')
      expect((await make({ name: 'a maker', scopes: ['token:create'] }, bob.token)).status).to.equal(422)
      const maker = await made(['profile:update', 'token:create'], await tokenOf(bob))
      expect((await make({ name: 'another', scopes: ['profile:update'] }, maker.value)).status).to.equal(201)
      expect((await make({ name: 'another', scopes: ['link:create'] }, maker.value)).status).to.equal(422)
    })

    it('are shown as what made them, and end together with all that followed', async () => {
      const bob = await service.addUser('editor')
      const first = await made(['profile:update', 'profile:read', 'token:create'], await tokenOf(bob))
      const second = await made(['profile:update', 'profile:read', 'token:create'], first.value)
      const third = await made(['profile:read'], second.value)
      const apart = await made(['profile:read'], bob.token)
      const makers = new Map((await list(bob.token)).map((each) => [at(each, 'id'), at(each, 'made_by')]))
      expect(makers.get(third.id)).to.deep.equal({ type: 'token', id: second.id })
      expect(makers.get(second.id)).to.deep.equal({ type: 'token', id: first.id })
      expect(makers.get(apart.id)).to.equal(null)

      // alone: what followed from it stays, and can be ended by its name also when it is gone itself
      expect(await statusOf(bob.token, 'DELETE', `/users/me/tokens/${first.id}`)).to.equal(204)
      expect([await statusOf(first.value), await statusOf(second.value)]).to.deep.equal([401, 200])
      const together = `/users/me/tokens/${first.id}?descendants=true`
      expect(await statusOf(ada.token, 'DELETE', together), 'another user').to.equal(404)
      expect(await live(bob)).to.have.members([second.id, third.id, apart.id])
      expect(await statusOf(bob.token, 'DELETE', together)).to.equal(204)
      expect(await live(bob)).to.deep.equal([apart.id])
      expect(await statusOf(third.value)).to.equal(401)
      expect(await statusOf(bob.token, 'DELETE', together)).to.equal(404)
    })

    it('name the sign-in that they come from, and end with its name', async () => {
      const { email, id } = await service.addUser('editor')
      const hash = await (await createPasswords()).hash('correct horse battery')
      await service.db.asOwner('update users set password_hash = $2 where id = $1', [id, hash])
      const signIn = async () => {
        const { json } = await service.request('POST', '/auth/token', {
          json: { grant_type: 'password', username: email, password: 'correct horse battery' },
        })
        return textAt(json, 'access_token')
      }
      const [one, another] = [await signIn(), await signIn()]
      const [mine, other] = [await made(['profile:read'], one), await made(['profile:read'], another)]
      const maker = (await list(one)).find((each) => at(each, 'id') === mine.id)
      expect(at(maker, 'made_by', 'type')).to.equal('sign_in')
      const origin = textAt(maker, 'made_by', 'id')
      expect(await statusOf(one, 'DELETE', `/users/me/tokens/${origin}`), 'is no token itself').to.equal(404)
      expect(await statusOf(one, 'DELETE', `/users/me/tokens/${origin}?descendants=true`)).to.equal(204)
      expect([await statusOf(mine.value), await statusOf(other.value)]).to.deep.equal([401, 200])

      // a new password may end them all
      const password = { password: 'another horse battery', current_password: 'correct horse battery' }
      expect(await statusOf(one, 'PATCH', '/users/me', { name: 'Bob', end_tokens: true })).to.equal(422)
      expect(await statusOf(one, 'PATCH', '/users/me', { ...password, end_tokens: true })).to.equal(200)
      expect(await statusOf(other.value)).to.equal(401)
    })
  })
})
