import { expect } from 'chai'
import { decodeJwt } from 'jose'

import { PASSWORD, addAccount } from '../support/account.js'
import { openIdIssuer } from '../support/openid-issuer.js'
import { at, listAt, textAt } from '../support/json.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const ABSENT = '6f1d0d6e-6f3c-4f0e-8a9b-0c6f5d3b2a11'

describe('sign-ins that their user sees', () => {
  let service: TestService
  let other: TestService
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  const post = (json: Readonly<Record<string, string>>) => service.request('POST', '/auth/token', { json })
  const signIn = (username: string) => post({ grant_type: 'password', username, password: PASSWORD })
  const refresh = (answer: TestResponse) =>
    post({ grant_type: 'refresh_token', refresh_token: textAt(answer.json, 'refresh_token') })
  const access = (answer: TestResponse) => textAt(answer.json, 'access_token')
  const idOf = (answer: TestResponse) => String(decodeJwt(access(answer))['sid'])
  const list = async (token: string, on = service) =>
    listAt((await on.request('GET', '/users/me/sign-ins', { token })).json, 'data')
  const end = (id: string, token: string) => service.request('DELETE', `/users/me/sign-ins/${id}`, { token })
  const me = async (token: string, on = service) => (await on.request('GET', '/users/me', { token })).status

  it('are the live ones, once each, the last used first, with the one that asks', async () => {
    const { email } = await addAccount(service)
    const [first, second, third] = [await signIn(email), await signIn(email), await signIn(email)]
    const renewed = await refresh(first)
    await service.request('POST', '/auth/revoke', { json: { token: textAt(third.json, 'refresh_token') } })
    const found = await list(access(renewed), other)
    expect(found.map((each) => [at(each, 'id'), at(each, 'current')])).to.deep.equal([
      [idOf(first), true],
      [idOf(second), false],
    ])
    const [mine] = found
    expect(Object.keys(Object(mine)).sort()).to.deep.equal([
      'current',
      'expires_at',
      'id',
      'last_used_at',
      'started_at',
    ])
    const time = (name: string) => Date.parse(textAt(mine, name))
    expect(time('last_used_at')).to.be.greaterThan(time('started_at'))
    expect(time('expires_at') - time('started_at')).to.be.closeTo(30 * 86_400_000, 60_000)
  })

  it('are nobody else’s, not even for an admin, and those that are over are none', async () => {
    const { email, id } = await addAccount(service)
    const answer = await signIn(email)
    const root = await service.addUser('admin')
    expect(await list(root.token)).to.deep.equal([])
    await service.db.asOwner('update refresh_tokens set expires_at = now() where user_id = $1', [id])
    expect(await list(await service.tokenFor({ id }))).to.deep.equal([])
    expect((await end(idOf(answer), await service.tokenFor({ id }))).status).to.equal(404)
  })

  it('are the hundred that were used last, where programs leave many behind', async () => {
    const { id } = await addAccount(service)
    await service.db.asOwner(
      `insert into refresh_tokens (family, user_id, token_hash, scope, created_at, expires_at)
       select gen_random_uuid(), $1::bigint, sha256(n::text::bytea), '', now() - make_interval(mins => n),
           now() + interval '1 day' from generate_series(1, 101) n`,
      [id],
    )
    const found = await list(await service.tokenFor({ id }))
    expect(found).to.have.length(100)
    const times = found.map((each) => textAt(each, 'last_used_at'))
    expect(times).to.deep.equal(times.toSorted().toReversed())
  })

  it('end at once with their access tokens, on every node, and no other does', async () => {
    const { email } = await addAccount(service)
    const [mine, elsewhere] = [await signIn(email), await signIn(email)]
    const later = await refresh(elsewhere)
    expect((await end(idOf(elsewhere), access(mine))).status).to.equal(204)
    for (const answer of [elsewhere, later])
      for (const on of [service, other]) expect(await me(access(answer), on)).to.equal(401)
    expect((await refresh(later)).json).to.include({ code: 'invalid_grant' })
    expect(await me(access(mine))).to.equal(200)
    expect((await list(access(mine))).map((each) => at(each, 'id'))).to.deep.equal([idOf(mine)])
    expect((await end(idOf(elsewhere), access(mine))).status, 'again').to.equal(404)
    expect((await end(idOf(mine), access(mine))).status, 'the own one').to.equal(204)
    expect(await me(access(mine))).to.equal(401)
  })

  it('are ended once, with one entry in the log that names who did it', async () => {
    const { email, id } = await addAccount(service)
    const [mine, elsewhere] = [await signIn(email), await signIn(email)]
    for (let answer = elsewhere, i = 0; i < 3; i++) answer = await refresh(answer)
    const answers = await Promise.all(Array.from({ length: 4 }, () => end(idOf(elsewhere), access(mine))))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404, 404])
    expect(
      await service.db.asOwner(
        `select subject_id, action, rule, status, resource_code from decisions where resource_type = 'sign_in'
            and resource_code = $1`,
        [idOf(elsewhere)],
      ),
    ).to.deep.equal([
      { subject_id: id, action: 'profile:update', rule: 'R7', status: 204, resource_code: idOf(elsewhere) },
    ])
  })

  it('of another user, of nobody, and what names none give the same 404', async () => {
    const [ada, eve] = [await addAccount(service), await addAccount(service)]
    const [mine, theirs] = [await signIn(ada.email), await signIn(eve.email)]
    const root = await service.addUser('admin')
    const shapes = new Set<string>()
    for (const token of [access(mine), root.token]) {
      for (const id of [idOf(theirs), ABSENT, ada.id, 'x']) {
        const answer = await end(id, token)
        expect(answer.status, id).to.equal(404)
        shapes.add(answer.text.replace(/"request_id":"[^"]+"/, ''))
      }
    }
    expect(shapes.size).to.equal(1)
    expect(await me(access(theirs))).to.equal(200)
  })

  it('are none of an external issuer’s, which manages its own', async () => {
    const issuer = await openIdIssuer()
    const external = await startTestService({
      environment: { JWT_ISSUER: issuer.url, JWT_AUDIENCE: issuer.audience, JWT_UNKNOWN_SUBJECTS: 'viewer' },
    })
    try {
      const token = await issuer.accessToken()
      expect((await external.request('GET', '/users/me/sign-ins', { token })).status).to.equal(404)
      expect((await external.request('DELETE', `/users/me/sign-ins/${ABSENT}`, { token })).status).to.equal(404)
    } finally {
      await external.stop()
      await issuer.stop()
    }
  })
})
