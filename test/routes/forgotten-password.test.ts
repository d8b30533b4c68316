import { createHash } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { createAccounts } from '../../src/identity/accounts.js'
import { hashOfToken, newOpaqueToken } from '../../src/identity/opaque-token.js'
import { PASSWORD, addAccount } from '../support/account.js'
import { runCommand } from '../support/cli.js'
import { textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startMailServer, type MailServer } from '../support/mail-server.js'
import { onDatabase } from '../support/node.js'
import { addAccountToken, addLink } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { BROWSER } from '../support/visited-pages.js'

const NEW = 'another horse, another battery'

describe('a forgotten password', () => {
  let mail: MailServer
  let service: TestService
  let folder: string
  before(async () => {
    folder = await makeTemporaryFolder()
    mail = await startMailServer()
    service = await startTestService({ environment: { DATA_DIR: folder, SMTP_URL: mail.url } })
  })
  after(async () => {
    await service.stop()
    await mail.stop()
  })

  const post = (path: string, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.request('POST', path, { json, headers })
  const forgot = (email: string) => post('/auth/password/forgot', { email })
  const reset = (token: string, more: object = {}) => post('/auth/password/reset', { token, password: NEW, ...more })
  const look = (token: string) => service.request('GET', `/auth/password/reset?token=${token}`)
  const signIn = (username: string, password = PASSWORD) =>
    post('/auth/token', { grant_type: 'password', username, password })
  const access = (answer: TestResponse) => textAt(answer.json, 'access_token')
  const me = async (token: string) => (await service.request('GET', '/users/me', { token })).status
  const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email))
  const tokenIn = (text: string): string =>
    /\/auth\/password\/reset\?token=3D([A-Za-z0-9_-]{43})/.exec(text.replaceAll('=\r\n', ''))?.[1] ??
    /\/auth\/password\/reset\?token=([A-Za-z0-9_-]{43})/.exec(text.replaceAll('=\r\n', ''))?.[1] ??
    expect.fail(`no link in ${text}`)
  /** The token of the newest link that was sent to an address, as soon as there are so many. */
  const linkTo = (email: string, count = 1): Promise<string> =>
    until(`${count} mails to ${email}`, () => {
      const mails = mailsTo(email)
      return mails.length >= count && tokenIn(mails.at(-1)?.text ?? '')
    })
  const askedFor = async (email: string, count = 1): Promise<string> => {
    expect((await forgot(email)).status).to.equal(202)
    return linkTo(email, count)
  }
  const entriesOf = (id: string) =>
    service.db.asOwner<Record<string, unknown>>(
      `select request_id, subject_id, network, change from decisions where kind = 'user' and resource_code = $1
        order by id`,
      [id],
    )

  it('is replaced by a link in a mail, once, which ends every sign-in', async () => {
    const { id, email } = await addAccount(service)
    const signedIn = await signIn(email)
    const refresh = textAt(signedIn.json, 'refresh_token')
    const made = await service.request('POST', '/users/me/tokens', {
      token: access(signedIn),
      json: { name: 'a key', scopes: ['profile:read'] },
    })
    const asked = await forgot(email.toUpperCase())
    expect(asked.status).to.equal(202)
    expect(asked.json).to.deep.equal({})
    const token = await linkTo(email)
    expect(mailsTo(email)).to.have.length(1)
    expect(Date.parse(textAt((await look(token)).json, 'expires_at'))).to.be.closeTo(Date.now() + 3_600_000, 60_000)

    const done = await reset(token)
    expect(done.status, done.text).to.equal(200)
    expect(done.headers.get('Cache-Control')).to.equal('no-store')
    expect((await signIn(email)).status).to.equal(400)
    expect((await signIn(email, NEW)).status).to.equal(200)
    expect(await me(access(signedIn))).to.equal(401)
    expect((await post('/auth/token', { grant_type: 'refresh_token', refresh_token: refresh })).status).to.equal(400)
    expect(await me(textAt(made.json, 'token')), 'personal tokens stay').to.equal(200)
    for (const again of [await reset(token), await look(token)])
      expect(again.json).to.include({ status: 410, code: 'gone' })

    const log = await entriesOf(id)
    const asks = log.find(({ request_id: request }) => request === asked.headers.get('X-Request-ID'))
    expect(asks).to.deep.include({ subject_id: null, network: '127.0.0.0/24' })
    expect(asks?.['change']).to.include({ what: 'password link made' })
    const used = log.filter(({ request_id: request }) => request === done.headers.get('X-Request-ID'))
    expect(used.map(({ change }) => change)).to.deep.equal([
      { what: 'password link used' },
      { what: 'changed', password: 'changed' },
    ])
    expect(JSON.stringify(log)).to.not.include(email).and.not.include(token)
  })

  it('ends the personal tokens, too, where that is asked for', async () => {
    const { email } = await addAccount(service)
    const signedIn = await signIn(email)
    const made = await service.request('POST', '/users/me/tokens', {
      token: access(signedIn),
      json: { name: 'a key', scopes: ['profile:read'] },
    })
    expect((await reset(await askedFor(email), { end_tokens: true })).status).to.equal(200)
    expect(await me(textAt(made.json, 'token'))).to.equal(401)
  })

  it('has one answer for everybody, before anything is looked up', async () => {
    const { email } = await addAccount(service)
    const suspended = await addAccount(service)
    await createAccounts(service.database).setSuspended(suspended.id, true)
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('lock table users, account_tokens in access exclusive mode')
      const answers = []
      for (const each of [email, suspended.email, 'nobody@example.com']) answers.push(await forgot(each))
      await client.query('rollback')
      const [first, ...others] = answers.map(({ status, json, headers }) => {
        const names = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
        return { status, json, names }
      })
      expect(first).to.deep.include({ status: 202, json: {} })
      for (const other of others) expect(other).to.deep.equal(first)
    } finally {
      await client.end()
    }
    await linkTo(email)
    // a later question is answered after theirs
    const witness = await addAccount(service)
    await askedFor(witness.email)
    expect(mailsTo(suspended.email)).to.have.length(0)
    expect(mailsTo('nobody@example.com')).to.have.length(0)
  })

  it('stays where a link is only opened, as programs do that scan mails', async () => {
    const { email } = await addAccount(service)
    const token = await askedFor(email)
    const stored = () =>
      service.db.asOwner('select t::text, u::text from account_tokens t join users u on u.id = user_id')
    const before = await stored()
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await service.request(method, `/auth/password/reset?token=${token}`)).status).to.equal(200)
    expect(await stored()).to.deep.equal(before)
    expect((await reset(token)).status).to.equal(200)
  })

  it('is set once where two use the link at once, 10 times over', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await addAccount(service)
      const token = await addAccountToken(service.db, id)
      const answers = await Promise.all([reset(token), reset(token, { password: 'the other one' })])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 410])
    }
  })

  it('is 410 for a link whose hour is over, and for one that never was', async () => {
    const { id, email } = await addAccount(service)
    const token = await askedFor(email)
    await service.db.asOwner('update account_tokens set expires_at = now() where user_id = $1', [id])
    for (const each of [token, 'A'.repeat(43), 'x', '%', "'"]) {
      expect((await reset(each)).json, each).to.include({ status: 410, code: 'gone' })
      expect((await look(encodeURIComponent(each))).json, each).to.include({ status: 410, code: 'gone' })
    }
    expect((await signIn(email)).status).to.equal(200)
    expect((await forgot(email)).status).to.equal(202)
    await linkTo(email, 2)
    expect(await service.db.asOwner('select from account_tokens where expires_at <= now()'), 'swept').to.have.length(0)
  })

  it('keeps no link open past another password, another address, a suspension or the account', async () => {
    const change = (text: string) => (id: string) => service.db.asOwner(`update users set ${text} where id = $1`, [id])
    for (const [what, secure] of [
      ['a password', change(`password_hash = 'another'`)],
      ['an address', change(`email = 'moved-' || email`)],
      ['a suspension', change('suspended_at = now()')],
      ['a deletion', (id: string) => service.db.asOwner('delete from users where id = $1', [id])],
    ] as const) {
      const { id, email } = await addAccount(service)
      const token = await askedFor(email)
      await secure(id)
      await service.db.asOwner('update users set suspended_at = null where id = $1', [id])
      expect((await reset(token)).status, what).to.equal(410)
      expect(await service.db.asOwner('select from account_tokens where user_id = $1', [id])).to.have.length(0)
    }
  })

  it('stays where the new one is not valid, and the link with it', async () => {
    const { email } = await addAccount(service)
    const token = await askedFor(email)
    for (const json of [
      { token },
      { token, password: 'short' },
      { token, password: 7 },
      { password: NEW },
      { token, password: NEW, email },
      { token, password: NEW, end_tokens: 'yes' },
      { token: [token], password: NEW },
    ])
      expect((await post('/auth/password/reset', json)).status, JSON.stringify(json)).to.equal(422)
    for (const json of [
      {},
      { email: 'nobody' },
      { email: `${email}, x@example.com` },
      { email, name: 'x' },
      { email: 7 },
    ])
      expect((await post('/auth/password/forgot', json)).status, JSON.stringify(json)).to.equal(422)
    expect((await signIn(email)).status).to.equal(200)
    expect((await reset(token)).status).to.equal(200)
  })

  it('fills nobody’s mailbox: an account has three links at most, also for questions at once', async () => {
    const { id, email } = await addAccount(service)
    await askedFor(email, 1)
    await askedFor(email, 2)
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from users where id = $1 for update', [id])
      for (let asked = 3; asked <= 6; asked += 1) expect((await forgot(email)).status).to.equal(202)
      await lockWaiters(service.db.asOwner, 2)
      await client.query('commit')
    } finally {
      await client.end()
    }
    // questions are answered in their order, two at once: those of the account are over before these are
    for (let witness = 1; witness <= 3; witness += 1) await askedFor((await addAccount(service)).email)
    const [row] = await service.db.asOwner<{ count: number }>(
      'select count(*)::int as count from account_tokens where user_id = $1',
      [id],
    )
    expect(row?.count).to.equal(3)
    await linkTo(email, 3)
    expect(mailsTo(email)).to.have.length(3)
  })

  it('is asked for by 64 at once at most: one more is told to come again, and may when they are done', async () => {
    const { id, email } = await addAccount(service)
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from users where id = $1 for update', [id])
      const answers = await Promise.all(Array.from({ length: 64 }, () => forgot(email)))
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]))
      const refused = await forgot('nobody@example.com')
      expect(refused.json).to.include({ status: 429, code: 'rate_limited' })
      expect(refused.headers.get('Retry-After')).to.equal('1')
      await client.query('commit')
    } finally {
      await client.end()
    }
    await until('another is taken', async () => (await forgot('nobody@example.com')).status === 202)
  })

  it('is stored as SHA-256 alone', async () => {
    const { id, email } = await addAccount(service)
    const token = await askedFor(email)
    const [row] = await service.db.asOwner<{ text: string; hash: string }>(
      `select t::text as text, encode(token_hash, 'hex') as hash from account_tokens t where user_id = $1`,
      [id],
    )
    expect(row?.hash).to.equal(createHash('sha256').update(token).digest('hex'))
    expect(row?.text).to.not.include(token)
  })

  it('is limited for each address and each account, and locks nobody’s sign-in', async () => {
    const { email } = await addAccount(service)
    const on = await startTestService({
      db: service.db,
      environment: { DATA_DIR: folder, SMTP_URL: mail.url, RATE_LIMIT_SIGN_IN: '2/60', TRUSTED_PROXY_HOPS: '1' },
    })
    try {
      const ask = async (path: string, json: object, address: string) =>
        (await on.request('POST', path, { json, headers: { 'X-Forwarded-For': address } })).status
      const forgotFrom = (address: string, to = email) => ask('/auth/password/forgot', { email: to }, address)
      const statuses = []
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) statuses.push(await forgotFrom(address))
      expect(statuses).to.deep.equal([202, 202, 429])
      const grant = { grant_type: 'password', username: email, password: PASSWORD }
      expect(await ask('/auth/token', grant, '192.0.2.4'), 'their sign-in').to.equal(200)
      const strangers = []
      for (const name of ['a', 'b', 'c']) strangers.push(await forgotFrom('192.0.2.9', `${name}@example.com`))
      expect(strangers).to.deep.equal([202, 202, 429])
      const guesses = []
      for (const token of ['x', 'y', 'z'])
        guesses.push(await ask('/auth/password/reset', { token, password: NEW }, '192.0.2.10'))
      expect(guesses).to.deep.equal([410, 410, 429])
    } finally {
      await on.stop()
    }
  })

  it('is replaced after a change that is under way, and lets none of the old sign-in commit after it', async () => {
    const { id, email } = await addAccount(service)
    const token = access(await signIn(email))
    const link = await askedFor(email)
    const code = await addLink(service.db, { owner: id })
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from links where code = $1 for update', [code])
      const changing = service.request('PATCH', `/links/${code}`, { token, json: { title: 'before' } })
      await lockWaiters(service.db.asOwner, 1)
      const resetting = reset(link)
      await lockWaiters(service.db.asOwner, 2)
      await client.query('commit')
      expect([(await changing).status, (await resetting).status]).to.deep.equal([200, 200])
    } finally {
      await client.end()
    }
    expect((await service.request('PATCH', `/links/${code}`, { token, json: { title: 'after' } })).status).to.equal(401)
  })

  it('ends also a sign-in with the old one that is under way', async () => {
    const { id, email } = await addAccount(service)
    const link = await askedFor(email)
    const token = newOpaqueToken()
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from users where id = $1 for share', [id])
      await client.query(
        `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
         values (gen_random_uuid(), $1, $2, 'link:read', now() + interval '1 day')`,
        [id, hashOfToken(token)],
      )
      const resetting = reset(link)
      await lockWaiters(service.db.asOwner, 1)
      await client.query('commit')
      expect((await resetting).status).to.equal(200)
    } finally {
      await client.end()
    }
    const renewed = await post('/auth/token', { grant_type: 'refresh_token', refresh_token: token })
    expect([renewed.status, textAt(renewed.json, 'error')]).to.deep.equal([400, 'invalid_grant'])
  })

  describe('without a mail server', () => {
    it('is 404 over HTTP, the same for everybody, and a link from the command line works', async () => {
      const on = await startTestService({ db: service.db, environment: { DATA_DIR: folder } })
      try {
        const { id, email } = await addAccount(service)
        for (const each of [email, 'nobody@example.com'])
          expect((await on.request('POST', '/auth/password/forgot', { json: { email: each } })).json).to.include({
            status: 404,
            code: 'no_mail',
          })
        const environment = { ...onDatabase(on.db.service, on.db.owner), DATA_DIR: folder, BASE_URL: on.baseUrl }
        const { code, out, err } = await runCommand(['user', 'reset-link', email.toUpperCase()], { environment })
        expect({ code, err }).to.deep.equal({ code: 0, err: '' })
        expect(out).to.match(/^http:\/\/[^\s]+\/auth\/password\/reset\?token=[A-Za-z0-9_-]{43}\n$/)
        const url = new URL(out.trim())
        expect(url.origin).to.equal(on.baseUrl)
        const done = await on.request('POST', url.pathname, {
          json: { token: url.searchParams.get('token'), password: NEW },
        })
        expect(done.status, done.text).to.equal(200)
        expect((await signIn(email, NEW)).status).to.equal(200)
        const made = (await entriesOf(id)).find(({ change }) => textAt(change, 'what') === 'password link made')
        expect(textAt(made?.['change'], 'by')).to.include('linkgate command line')

        const run = (...args: readonly string[]) => runCommand(args, { environment })
        expect(await run('user', 'reset-link', 'nobody@example.com')).to.include({ code: 1, out: '' })
        expect((await run('user', 'suspend', email)).code).to.equal(0)
        expect(await run('user', 'reset-link', email)).to.include({ code: 1, out: '' })
        const nowhere = { ...environment, BASE_URL: '', PORT: '0' }
        expect(await runCommand(['user', 'reset-link', email], { environment: nowhere })).to.include({ code: 2 })
      } finally {
        await on.stop()
      }
    })
  })

  describe('in a browser', () => {
    const asBrowser = { Accept: BROWSER, 'Accept-Language': 'en' }
    const open = (token: string, language = 'en') =>
      service.request('GET', `/auth/password/reset?token=${token}`, {
        headers: { ...asBrowser, 'Accept-Language': language },
      })
    const send = (fields: Readonly<Record<string, string>>) =>
      service.request('POST', '/auth/password/reset', formOf(fields, asBrowser))

    it('is chosen on a page without script', async () => {
      const { email } = await addAccount(service)
      const signedIn = await signIn(email)
      const made = await service.request('POST', '/users/me/tokens', {
        token: access(signedIn),
        json: { name: 'a key', scopes: ['profile:read'] },
      })
      const token = await askedFor(email)
      const german = await open(token, 'de')
      expect(german.text).to.include('<h1>Wählen Sie ein neues Passwort</h1>')
      const page = await open(token)
      expect(page.status).to.equal(200)
      expect(page.text).to.include('<h1>Choose a new password</h1>').and.not.include('<script')
      expect(page.headers.get('Content-Security-Policy')).to.match(/form-action 'self';/)
      expect(page.headers.get('Referrer-Policy')).to.equal('no-referrer')
      expect(page.headers.get('Cache-Control')).to.equal('no-store')
      const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1]
      expect(action).to.equal('/auth/password/reset')
      expect(/name="token" value="([^"]+)"/.exec(page.text)?.[1]).to.equal(token)
      expect(page.text).to.include(`name="username" autocomplete="username" value="${email}"`)

      const short = await send({ token, username: email, password: 'short' })
      expect(short.status).to.equal(422)
      expect(short.text)
        .to.include('id="password-fault"')
        .and.include(`value="${token}"`)
        .and.not.include('value="short"')
      expect(short.text).to.match(/name="end_tokens" value="true"\s+\/>/)
      // or tokens that somebody wants to be rid of would stay
      const ticked = await send({ token, username: email, password: 'short', end_tokens: 'true' })
      expect(ticked.status).to.equal(422)
      expect(ticked.text).to.match(/name="end_tokens" value="true"\s+checked\s+\/>/)
      const done = await send({ token, password: NEW, end_tokens: 'true' })
      expect([done.status, done.text.includes('Your new password is set')], done.text).to.deep.equal([200, true])
      expect(done.text).to.include('href="/console/sign-in"').and.not.include(NEW).and.not.include(token)
      expect((await signIn(email, NEW)).status).to.equal(200)
      expect(await me(textAt(made.json, 'token'))).to.equal(401)
      for (const over of [await send({ token, password: NEW }), await open(token)]) {
        expect([over.status, over.text.includes('This link is over')]).to.deep.equal([410, true])
        expect(over.text, 'for whoever loads the answer again').to.include('<a href="/console/sign-in">sign in</a>')
      }
    })

    it('shows what was sent as text', async () => {
      const { text } = await send({ token: '"><b>bold</b>', password: 'short' })
      expect(text).to.include('&#60;b&#62;').and.not.include('<b>')
    })
  })
})
