import { expect } from 'chai'

import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { PASSWORD, addAccount } from '../support/account.js'
import { textAt } from '../support/json.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('sign-in over HTTP', () => {
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

  const post = (path: string, json: unknown, on = service, headers: Readonly<Record<string, string>> = {}) =>
    on.request('POST', path, { json, headers })
  const signIn = (username: string, password = PASSWORD, on = service) =>
    post('/auth/token', { grant_type: 'password', username, password }, on)
  const refresh = (token: string, on = service) =>
    post('/auth/token', { grant_type: 'refresh_token', refresh_token: token }, on)
  const me = async (token: string, on = service) => (await on.request('GET', '/users/me', { token })).status
  const access = (answer: TestResponse) => textAt(answer.json, 'access_token')
  const refreshOf = (answer: TestResponse) => textAt(answer.json, 'refresh_token')

  it('answers as RFC 6749 says, to JSON and to a form, and lets nobody keep the answer', async () => {
    const { email, id } = await addAccount(service)
    const form = await service.request('POST', '/auth/token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'password',
        username: email,
        password: PASSWORD,
        client_id: 'ignored',
      }).toString(),
    })
    for (const answer of [form, await signIn(email.toUpperCase())]) {
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json).to.include({ token_type: 'Bearer', expires_in: 900 })
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      expect(answer.headers.get('Pragma')).to.equal('no-cache')
      expect((await service.request('GET', '/users/me', { token: access(answer) })).json).to.include({ id })
    }
  })

  it('gives one answer to whatever is wrong with credentials', async () => {
    const { email, id } = await addAccount(service)
    const suspended = await addAccount(service)
    await createAccounts(service.database).setSuspended(suspended.id, true)
    const passwords = [
      await signIn(email, 'a wrong password'),
      await signIn('nobody@example.com'),
      await signIn('no address'),
      await signIn(suspended.email),
      await signIn((await service.addUser('editor')).email),
      await signIn(id),
    ]
    const tokens = [await refresh('A'.repeat(43)), await refresh('x')]
    // of one kind: what was sent is no secret to whoever sent it
    for (const answers of [passwords, tokens]) {
      for (const answer of answers) expect(answer.status, answer.text).to.equal(400)
      expect(new Set(answers.map(({ json }) => JSON.stringify({ ...Object(json), request_id: '' }))).size).to.equal(1)
      expect(answers[0]?.json).to.include({ code: 'invalid_grant', error: 'invalid_grant' })
    }
  })

  it('names its errors as RFC 6749 does', async () => {
    const { email } = await addAccount(service)
    for (const [json, error, description] of [
      [{ grant_type: 'client_credentials' }, 'unsupported_grant_type', /password and refresh_token/],
      [{ grant_type: 'password', username: email }, 'invalid_request', /^password: is required\.$/],
      [{ grant_type: 'refresh_token' }, 'invalid_request', /^refresh_token: is required\.$/],
      [{ username: email }, 'invalid_request', /^grant_type: /],
      [{ grant_type: 5 }, 'invalid_request', /^grant_type: /],
      [undefined, 'invalid_request', /body/],
      [{ grant_type: 'password', username: email, password: PASSWORD, scope: 'every"thing' }, 'invalid_scope', /./],
    ] as const) {
      const answer = await post('/auth/token', json)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.json).to.include({ error })
      const said = String(Object(answer.json).error_description)
      expect(said).to.match(description)
      // RFC 6749 §5.2
      expect(said).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  })

  it('says that it revokes no token of another kind', async () => {
    const { email } = await addAccount(service)
    for (const token of [access(await signIn(email)), `lgp_${'a'.repeat(43)}`]) {
      const answer = await post('/auth/revoke', { token })
      expect(answer.json, answer.text).to.include({ status: 400, error: 'unsupported_token_type' })
    }
  })

  it('goes on with refresh tokens on any node', async () => {
    const { email } = await addAccount(service)
    const first = await signIn(email)
    const second = await refresh(refreshOf(first), other)
    expect(second.status, second.text).to.equal(200)
    for (const [token, on] of [
      [access(first), other],
      [access(second), service],
    ] as const)
      expect(await me(token, on)).to.equal(200)
  })

  it('a token that was spent ends the sign-in and its access tokens', async () => {
    const { email } = await addAccount(service)
    const first = await signIn(email)
    const second = await refresh(refreshOf(first), other)
    const stolen = await refresh(refreshOf(first))
    expect(stolen.json).to.include({ status: 400, error: 'invalid_grant' })
    expect((await refresh(refreshOf(second))).status).to.equal(400)
    for (const on of [service, other])
      for (const answer of [first, second]) expect(await me(access(answer), on)).to.equal(401)
    expect((await signIn(email)).status, 'the account itself goes on').to.equal(200)
  })

  it('lets one of two refreshes of one token win, also on two nodes', async () => {
    const { email } = await addAccount(service)
    for (let round = 0; round < 10; round++) {
      const token = refreshOf(await signIn(email))
      const answers = await Promise.all([refresh(token), refresh(token, other)])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400])
      const won = answers.find(({ status }) => status === 200)
      // which of the two was the thief is not known, so neither goes on
      expect(won && (await refresh(refreshOf(won))).status).to.equal(400)
    }
  })

  it('signs out: the refresh token and every access token of the sign-in are over, and no other', async () => {
    const { email } = await addAccount(service)
    const [mine, elsewhere] = [await signIn(email), await signIn(email)]
    const later = await refresh(refreshOf(mine))
    expect((await post('/auth/revoke', { token: refreshOf(mine), token_type_hint: 'refresh_token' })).status).to.equal(
      200,
    )
    for (const answer of [mine, later])
      for (const on of [service, other]) expect(await me(access(answer), on)).to.equal(401)
    expect((await refresh(refreshOf(later))).status).to.equal(400)
    expect(await me(access(elsewhere))).to.equal(200)
    expect(
      (await post('/auth/revoke', { token: 'A'.repeat(43) })).status,
      'whether there was one is not told',
    ).to.equal(200)
  })

  it('ends other sign-ins when the password changes, and not the one that changed it', async () => {
    const { email } = await addAccount(service)
    const [mine, elsewhere] = [await signIn(email), await signIn(email)]
    const change = (json: unknown, token = access(mine)) => service.request('PATCH', '/users/me', { token, json })
    for (const json of [
      { password: 'another password' },
      { password: 'another password', current_password: 'a wrong one' },
      { password: 'short', current_password: PASSWORD },
      { name: 'Ada', current_password: 'a wrong one' },
      { current_password: 'a wrong one' },
    ]) {
      expect((await change(json)).status, JSON.stringify(json)).to.equal(422)
    }
    expect(await me(access(elsewhere)), 'nothing changed').to.equal(200)
    const changed = await change({ password: 'another password', current_password: PASSWORD })
    expect(changed.status, changed.text).to.equal(200)
    for (const on of [service, other]) {
      expect(await me(access(elsewhere), on)).to.equal(401)
      expect(await me(access(mine), on)).to.equal(200)
    }
    expect((await refresh(refreshOf(elsewhere))).status).to.equal(400)
    expect((await refresh(refreshOf(mine))).status).to.equal(200)
    expect((await signIn(email)).status).to.equal(400)
    expect((await signIn(email, 'another password')).status).to.equal(200)
  })

  it('of two changes that prove one password, only one is made', async () => {
    const { email } = await addAccount(service)
    const token = access(await signIn(email))
    const change = (password: string, on: TestService) =>
      on.request('PATCH', '/users/me', { token, json: { password, current_password: PASSWORD } })
    const answers = await Promise.all([change('the first of two', service), change('the second of two', other)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422])
    const made = answers[0].status === 200 ? 'the first of two' : 'the second of two'
    expect((await signIn(email, made)).status).to.equal(200)
  })

  it('is refused to who is suspended, with a password and with a refresh token', async () => {
    const { email, id } = await addAccount(service)
    const answer = await signIn(email)
    await createAccounts(service.database).setSuspended(id, true)
    expect((await signIn(email)).status).to.equal(400)
    expect((await refresh(refreshOf(answer))).status).to.equal(400)
  })

  it('puts no token of any kind where a query, a form or a cookie could carry one', async () => {
    const token = access(await signIn((await addAccount(service)).email))
    expect((await service.request('GET', `/users/me?access_token=${token}`)).status).to.equal(401)
    expect(
      (await service.request('GET', '/users/me', { headers: { Cookie: `access_token=${token}; token=${token}` } }))
        .status,
    ).to.equal(401)
  })

  describe('has a limit of its own', () => {
    const start = (environment: Readonly<Record<string, string>>) =>
      startTestService({
        db: service.db,
        environment: { DATA_DIR: folder, RATE_LIMIT_SIGN_IN: '3/60', TRUSTED_PROXY_HOPS: '1', ...environment },
      })
    const from = (address: string) => ({ 'X-Forwarded-For': address })

    it('for each address, whatever accounts it tries', async () => {
      const limited = await start({})
      try {
        const attempt = (username: string, address: string) =>
          post('/auth/token', { grant_type: 'password', username, password: PASSWORD }, limited, from(address))
        for (let i = 0; i < 3; i++) expect((await attempt(`nobody-${i}@example.com`, '192.0.2.1')).status).to.equal(400)
        const refused = await attempt((await addAccount(service)).email, '192.0.2.1')
        expect(refused.status).to.equal(429)
        expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 60)
        expect((await attempt((await addAccount(service)).email, '192.0.2.2')).status, 'another address').to.equal(200)
        expect(
          (await limited.request('GET', '/links/absent', { headers: from('192.0.2.1') })).status,
          'other requests',
        ).to.equal(404)
      } finally {
        await limited.stop()
      }
    })

    it('for each account, whatever addresses try it, there or not, in whatever case', async () => {
      const limited = await start({})
      try {
        const { email } = await addAccount(service)
        for (const username of [email, 'not-there@example.com']) {
          let address = 0
          const attempt = (name: string, password: string) =>
            post(
              '/auth/token',
              { grant_type: 'password', username: name, password },
              limited,
              from(`198.51.100.${username.length + (address += 1)}`),
            )
          for (let i = 0; i < 3; i++)
            expect((await attempt(i === 1 ? username.toUpperCase() : username, 'a wrong password')).status).to.equal(
              400,
            )
          expect((await attempt(username, PASSWORD)).status).to.equal(429)
        }
      } finally {
        await limited.stop()
      }
    })

    it('for acceptances of invitations as well', async () => {
      const limited = await start({})
      try {
        const attempt = () =>
          limited.request('POST', `/invitations/${'A'.repeat(43)}/accept`, {
            json: { name: 'Ada', password: PASSWORD },
            headers: from('203.0.113.1'),
          })
        for (let i = 0; i < 3; i++) expect((await attempt()).status).to.equal(404)
        expect((await attempt()).status).to.equal(429)
      } finally {
        await limited.stop()
      }
    })
  })

  it('takes about as long for an address that nobody has as for a wrong password', async () => {
    const { id, email } = await addAccount(service)
    // that of other tests is cheaper than one that the service makes
    const hash = await (await createPasswords()).hash(PASSWORD)
    await service.db.asOwner('update users set password_hash = $1 where id = $2', [hash, id])
    // processor time: other work on the machine does not count
    const time = async (username: string) => {
      const start = process.cpuUsage()
      await signIn(username, 'a wrong password')
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let i = 0; i < 7; i++) {
      known.push(await time(email))
      unknown.push(await time(`nobody-${i}@example.com`))
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[3] ?? 0
    // a check that is skipped takes a tenth of one that is made
    expect(median(unknown) / median(known)).to.be.within(0.4, 2.5)
  })
})
