import { createHash } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { PASSWORD, addAccount } from '../support/account.js'
import { runCommand } from '../support/cli.js'
import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startMailServer, type MailServer } from '../support/mail-server.js'
import { onDatabase } from '../support/node.js'
import { addAccountToken } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { BROWSER } from '../support/visited-pages.js'

describe('a new address', () => {
  let mail: MailServer
  /** with a mail server */
  let service: TestService
  /** the same without one */
  let mute: TestService
  let root: TestUser
  let addresses = 0
  const freshAddress = () => `moved-${(addresses += 1)}@example.com`
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    mail = await startMailServer()
    service = await startTestService({ environment: { ...environment, SMTP_URL: mail.url } })
    mute = await startTestService({ environment, db: service.db })
    root = await service.addUser('admin')
  })
  after(async () => {
    await service.stop()
    await mute.stop()
    await mail.stop()
  })

  const patch = (token: string, json: unknown, on = service) => on.request('PATCH', '/users/me', { token, json })
  const ask = ({ token }: { readonly token: string }, email: string, more: object = {}) =>
    patch(token, { email, current_password: PASSWORD, ...more })
  const confirm = (token: string) => service.request('POST', '/auth/email/confirm', { json: { token } })
  const look = (token: string) => service.request('GET', `/auth/email/confirm?token=${token}`)
  const me = async (token: string) => (await service.request('GET', '/users/me', { token })).json
  const signIn = async (username: string) =>
    (
      await service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username, password: PASSWORD },
      })
    ).status
  const mailsTo = (email: string) =>
    mail.mails
      .filter(({ to }) => to.includes(email))
      .map(({ text }) => text.replaceAll('=\r\n', '').replaceAll('=3D', '='))
  const mailTo = (email: string, count = 1): Promise<string> =>
    until(`${count} mails to ${email}`, () => {
      const mails = mailsTo(email)
      return mails.length >= count && (mails.at(-1) ?? '')
    })
  const linkTo = async (email: string, count = 1): Promise<string> =>
    /\/auth\/email\/confirm\?token=([A-Za-z0-9_-]{43})/.exec(await mailTo(email, count))?.[1] ?? expect.fail('no link')
  const fields = (json: unknown) => listAt(json, 'errors').map((fault) => at(fault, 'field'))

  it('is confirmed by a link that goes there, and the old one is told, of the question and of the change', async () => {
    const user = await addAccount(service)
    const next = freshAddress()
    const asked = await ask(user, next)
    expect(asked.status, asked.text).to.equal(200)
    expect(asked.json).to.include({ email: user.email, unconfirmed_email: next })
    const token = await linkTo(next)
    expect(await mailTo(user.email))
      .to.include('entered the password of your account')
      .and.not.include(next)
    expect(await me(user.token))
      .to.include({ email: user.email })
      .and.not.have.property('unconfirmed_email')
    const { json } = await look(token)
    expect(json).to.include({ email: next })
    expect(Date.parse(textAt(json, 'expires_at'))).to.be.closeTo(Date.now() + 86_400_000, 60_000)

    const done = await confirm(token)
    expect(done.status, done.text).to.equal(200)
    expect(done.json).to.deep.equal({ email: next })
    expect(await me(user.token), 'who is signed in stays').to.include({ id: user.id, email: next })
    expect([await signIn(next), await signIn(user.email)]).to.deep.equal([200, 400])
    expect(await mailTo(user.email, 2))
      .to.include('was changed')
      .and.not.include(next)
    for (const again of [await confirm(token), await look(token)])
      expect(again.json).to.include({ status: 410, code: 'gone' })

    const log = await service.db.asOwner<Record<string, unknown>>(
      `select kind, request_id, action, rule, network, change from decisions
        where resource_type = 'user' and resource_code = $1 and request_id = any($2) order by id`,
      [user.id, [asked.headers.get('X-Request-ID'), done.headers.get('X-Request-ID')]],
    )
    expect(log.map(({ kind, action, rule }) => [kind, action, rule])).to.deep.equal([
      ['decision', 'profile:update', 'R7'],
      ['user', null, null],
      ['user', null, null],
      ['user', null, null],
    ])
    const whats = log.slice(1).map(({ change }) => textAt(change, 'what'))
    expect(whats).to.deep.equal(['address link made', 'address link used', 'changed'])
    expect(log.at(-1)).to.deep.include({ network: '127.0.0.0/24', change: { what: 'changed', email: 'changed' } })
    expect(JSON.stringify(log)).to.not.include(next).and.not.include(user.email).and.not.include(token)
  })

  it('stays no field of a plain profile update, and none at all without a mail server', async () => {
    const user = await addAccount(service)
    const email = freshAddress()
    for (const [on, json] of [
      [service, { email }],
      [service, { email, name: 'x' }],
      [service, { email, current_password: undefined }],
      [mute, { email }],
      [mute, { email, current_password: PASSWORD }],
    ] as const) {
      const answer = await patch(user.token, json, on)
      expect(answer.status, answer.text).to.equal(422)
      expect(fields(answer.json)).to.deep.equal(['email'])
    }
    const told = (await patch(user.token, { email, current_password: PASSWORD }, mute)).json
    expect(at(told, 'errors', 0, 'message')).to.equal('is changed by an admin, since no mail can confirm it')
    const several = await patch(user.token, { email, role: 'admin', id: '1' })
    expect(fields(several.json)).to.have.members(['email', 'role', 'id'])
    for (const bad of ['nobody', '', 'a@b, c@d', 7, null]) {
      const answer = await ask(user, String(bad), { email: bad })
      expect([answer.status, fields(answer.json)]).to.deep.equal([422, ['email']])
    }
    const wrong = await ask(user, email, { current_password: 'a wrong one' })
    expect([wrong.status, fields(wrong.json)]).to.deep.equal([422, ['current_password']])
    expect(await service.db.asOwner('select from account_tokens where user_id = $1', [user.id])).to.have.length(0)
    expect(mailsTo(email)).to.have.length(0)
  })

  it('goes with a name and a new password in one request, and with the rest of it or not at all', async () => {
    const user = await addAccount(service)
    const next = freshAddress()
    const answer = await ask(user, next, { name: 'Moved', password: 'another battery' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json).to.include({ name: 'Moved', unconfirmed_email: next })
    expect((await confirm(await linkTo(next))).status).to.equal(200)
    expect(await me(user.token)).to.include({ name: 'Moved', email: next })
  })

  it('that somebody else has is asked for like any other, and is nobody’s to confirm', async () => {
    const [user, other] = [await addAccount(service), await addAccount(service)]
    const theirs = other.email.replace('moved', 'MOVED')
    const [taken, free] = [await ask(user, theirs), await ask(user, freshAddress())]
    const shape = ({ status, json, headers }: typeof taken) => ({
      status,
      names: Object.keys(Object(json)),
      headers: [...headers].map(([name]) => name),
    })
    expect(shape(taken)).to.deep.equal(shape(free))
    const answer = await confirm(await linkTo(theirs))
    expect(answer.json).to.include({ status: 410, code: 'gone' })
    expect(await me(user.token)).to.include({ email: user.email })
    // one that was taken between the question and the answer
    const next = freshAddress()
    await ask(user, next)
    const token = await linkTo(next)
    await service.db.asOwner(`update users set email = $2 where id = $1`, [other.id, next])
    expect((await confirm(token)).status).to.equal(410)
  })

  it('is not asked for again, as nobody’s, where a form comes without its token', async () => {
    const answer = await service.request('POST', '/auth/email/confirm', {
      headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'token=',
    })
    expect(answer.status).to.equal(422)
    expect(answer.text).to.include('That could not be done').and.not.include('<form')
  })

  it('is confirmed once where two do it at once, and by POST alone', async () => {
    const user = await addAccount(service)
    const next = freshAddress()
    await ask(user, next)
    const token = await linkTo(next)
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await service.request(method, `/auth/email/confirm?token=${token}`)).status).to.equal(200)
    expect(await me(user.token)).to.include({ email: user.email })
    const answers = await Promise.all([confirm(token), confirm(token)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 410])
  })

  it('is confirmed, or its link has ended, where the account changes at that moment', async () => {
    const [twice, changed] = [await addAccount(service), await addAccount(service)]
    const links = await Promise.all(
      [twice, twice, changed].map(({ id }) => addAccountToken(service.db, id, freshAddress())),
    )
    const changing = new Client(service.db.owner)
    await changing.connect()
    try {
      await changing.query('begin')
      // as a change of the password does, which proves the old one first (functions/require_password.sql)
      await changing.query('select from users where id = any($1) for no key update', [[twice.id, changed.id]])
      const [first, second, ended] = links.map(confirm)
      await lockWaiters(service.db.asOwner, 3)
      await changing.query(`update users set password_hash = 'another one' where id = $1`, [changed.id])
      await changing.query('commit')
      expect([(await first)?.status, (await second)?.status].toSorted()).to.deep.equal([200, 410])
      expect((await ended)?.status).to.equal(410)
    } finally {
      await changing.end()
    }
  })

  it('is asked for while the password changes, also where an older link has expired', async () => {
    const user = await addAccount(service)
    await addAccountToken(service.db, user.id, freshAddress())
    await service.db.asOwner('update account_tokens set expires_at = now() where user_id = $1', [user.id])
    const changing = new Client(service.db.owner)
    await changing.connect()
    try {
      await changing.query('begin')
      await changing.query('select from users where id = $1 for no key update', [user.id])
      const asked = addAccountToken(service.db, user.id, freshAddress()).then(() => 'asked')
      await lockWaiters(service.db.asOwner)
      await changing.query(`update users set password_hash = 'another one' where id = $1`, [user.id])
      await changing.query('commit')
      expect(await asked).to.equal('asked')
    } finally {
      await changing.end()
    }
  })

  it('is 410 for a link whose day is over, of another kind, and for one that never was', async () => {
    const user = await addAccount(service)
    const late = await addAccountToken(service.db, user.id, freshAddress())
    await service.db.asOwner('update account_tokens set expires_at = now() where user_id = $1', [user.id])
    const password = await addAccountToken(service.db, user.id)
    for (const token of [late, password, 'A'.repeat(43), 'x', "'"]) {
      expect((await confirm(token)).json, token).to.include({ status: 410, code: 'gone' })
      expect((await look(encodeURIComponent(token))).status).to.equal(410)
    }
    const address = await addAccountToken(service.db, user.id, freshAddress())
    const reset = await service.request('POST', '/auth/password/reset', {
      json: { token: address, password: 'another battery' },
    })
    expect(reset.status, 'nor does a link for an address set a password').to.equal(410)
    expect(await me(user.token)).to.include({ email: user.email })
  })

  it('is forgotten with another password, another address, a suspension or the account', async () => {
    const change = (text: string) => (id: string) => service.db.asOwner(`update users set ${text} where id = $1`, [id])
    for (const [what, secure] of [
      ['a password', change(`password_hash = 'another'`)],
      ['an address', change(`email = 'moved-' || email`)],
      ['a suspension', change('suspended_at = now()')],
      ['a deletion', (id: string) => service.db.asOwner('delete from users where id = $1', [id])],
    ] as const) {
      const user = await addAccount(service)
      const next = freshAddress()
      await ask(user, next)
      const token = await linkTo(next)
      await secure(user.id)
      expect((await confirm(token)).status, what).to.equal(410)
      expect(await service.db.asOwner('select from account_tokens where email = $1', [next]), what).to.have.length(0)
    }
  })

  it('is asked for five times a day at most, exactly, and counts as a sign-in of the account', async () => {
    const user = await addAccount(service)
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(user, freshAddress())))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    const wait = (answer: typeof refused) => Number(answer?.headers.get('Retry-After'))
    expect(wait(refused), 'until the first of them ends').to.be.within(86_000, 86_400)
    await service.db.asOwner(
      `update account_tokens set expires_at = now() + interval '2 hours'
        where id = (select max(id) from account_tokens where user_id = $1)`,
      [user.id],
    )
    expect(wait(await ask(user, freshAddress()))).to.be.within(6_800, 7_200)
    expect(at(refused?.json, 'detail')).to.match(/five new addresses in a day/)
    expect(await service.db.asOwner('select from account_tokens where user_id = $1', [user.id])).to.have.length(5)
    await service.db.asOwner('update account_tokens set expires_at = now() where user_id = $1', [user.id])
    expect((await ask(user, freshAddress())).status).to.equal(200)
    expect(await service.db.asOwner('select from account_tokens where user_id = $1', [user.id])).to.have.length(1)
  })

  it('is limited where two transactions ask at once, also where neither has locked the account', async () => {
    const { id } = await addAccount(service)
    for (let asked = 0; asked < 4; asked += 1) await addAccountToken(service.db, id, freshAddress())
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query(
        `insert into account_tokens (user_id, purpose, token_hash, email, expires_at)
         values ($1, 'address', sha256('the fifth'), $2, now() + interval '1 hour')`,
        [id, freshAddress()],
      )
      const sixth = addAccountToken(service.db, id, freshAddress()).catch((error: unknown) => at(error, 'code'))
      await lockWaiters(service.db.asOwner, 1)
      await client.query('commit')
      expect(await sixth).to.equal('LG012')
    } finally {
      await client.end()
    }
  })

  it('is asked for no oftener where a new password or a confirmed address ends the links in between', async () => {
    const user = await addAccount(service)
    const own = freshAddress()
    for (let asked = 0; asked < 3; asked += 1)
      expect((await ask(user, freshAddress(), { password: PASSWORD })).status).to.equal(200)
    expect((await ask(user, own)).status).to.equal(200)
    expect((await confirm(await linkTo(own))).status).to.equal(200)
    const statuses = []
    for (let asked = 0; asked < 3; asked += 1)
      statuses.push((await ask(user, freshAddress(), { password: PASSWORD })).status)
    expect(statuses).to.deep.equal([200, 200, 429])
  })

  it('is kept with the SHA-256 of its token alone', async () => {
    const user = await addAccount(service)
    const next = freshAddress()
    await ask(user, next)
    const token = await linkTo(next)
    const [row] = await service.db.asOwner<{ text: string; hash: string }>(
      `select t::text as text, encode(token_hash, 'hex') as hash from account_tokens t where email = $1`,
      [next],
    )
    expect(row?.hash).to.equal(createHash('sha256').update(token).digest('hex'))
    expect(row?.text).to.not.include(token)
  })

  it('is confirmed on a page without script', async () => {
    const user = await addAccount(service)
    const next = freshAddress()
    await ask(user, next)
    const token = await linkTo(next)
    const asBrowser = { Accept: BROWSER, 'Accept-Language': 'en' }
    const page = await service.request('GET', `/auth/email/confirm?token=${token}`, { headers: asBrowser })
    expect(page.text).to.include('<h1>Confirm your address</h1>').and.include(next).and.not.include('<script')
    expect(page.headers.get('Content-Security-Policy')).to.match(/form-action 'self';/)
    expect(/<form method="post" action="([^"]+)">/.exec(page.text)?.[1]).to.equal('/auth/email/confirm')
    const send = () => service.request('POST', '/auth/email/confirm', formOf({ token }, asBrowser))
    const done = await send()
    expect([done.status, done.text.includes('Your address is confirmed'), done.text.includes(token)]).to.deep.equal([
      200,
      true,
      false,
    ])
    const over = await send()
    expect([over.status, over.text.includes('This link is over')]).to.deep.equal([410, true])
  })

  describe('set by an admin', () => {
    const set = (id: string, json: unknown, { on = mute, by = root }: { on?: TestService; by?: TestUser } = {}) =>
      on.request('PATCH', `/users/${id}`, { token: by.token, json })

    it('is theirs at once where no mail can confirm it, and ends links to the old one', async () => {
      const user = await addAccount(service)
      const next = freshAddress()
      const link = await addAccountToken(service.db, user.id)
      const answer = await set(user.id, { email: next })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json).to.include({ email: next, role: 'editor' })
      expect([await signIn(next), await signIn(user.email)]).to.deep.equal([200, 400])
      const late = await service.request('POST', '/auth/password/reset', {
        json: { token: link, password: 'another battery' },
      })
      expect(late.status).to.equal(410)
    })

    it('is refused where it is somebody’s, comes with other fields, or mails confirm them', async () => {
      const [user, other] = [await addAccount(service), await addAccount(service)]
      const email = freshAddress()
      const taken = await set(user.id, { email: other.email.toUpperCase() }, { on: mute })
      expect(taken.json).to.include({ status: 409, code: 'email_taken' })
      for (const [json, on] of [
        [{ email, role: 'viewer' }, mute],
        [{ email, suspended: false }, mute],
        [{ email: 'nobody' }, mute],
        [{ email }, service],
      ] as const) {
        const answer = await set(user.id, json, { on })
        expect([answer.status, fields(answer.json)], answer.text).to.deep.equal([422, ['email']])
      }
      expect(await me(user.token)).to.include({ email: user.email })
    })

    it('is nobody’s who stands above the one who sets it', async () => {
      await addRows(service, root.token, rowsFor('clerk', 600, 'user:update'))
      for (const on of [service, mute]) await on.policy.refresh()
      const clerk = await service.addUser('clerk')
      expect((await set(root.id, { email: freshAddress() }, { by: clerk })).json).to.include({
        status: 403,
        code: 'policy_denied',
      })
      expect((await set((await addAccount(service)).id, { email: freshAddress() }, { by: clerk })).status).to.equal(200)
    })

    it('is set by the command line, in any case', async () => {
      const [user, other] = [await addAccount(service), await addAccount(service)]
      const next = freshAddress()
      const environment = {
        ...onDatabase(service.db.service, service.db.owner),
        DATA_DIR: await makeTemporaryFolder(),
        SMTP_URL: mail.url,
      }
      const run = (...args: readonly string[]) => runCommand(['user', 'email', ...args], { environment })
      const { code, out, err } = await run(user.email.toUpperCase(), next)
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(JSON.parse(out)).to.include({ id: user.id, email: next })
      const taken = await run(next, other.email.toUpperCase())
      expect(taken).to.include({ code: 1, out: '' })
      expect(taken.err).to.include('taken')
      expect((await run(next, 'nobody')).code).to.equal(2)
    })
  })
})
