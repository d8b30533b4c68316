import { createHash } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { PolicyReplaced } from '../../src/database/errors.js'
import { Deadline } from '../../src/domain/deadline.js'
import { acceptInvitation } from '../../src/identity/accept-invitation.js'
import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { keepLog } from '../support/log.js'
import { startMailServer } from '../support/mail-server.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from '../support/service.js'

const ACCEPTANCE = { name: 'Ada', password: 'correct horse battery' }

describe('invitations over HTTP', () => {
  let service: TestService
  let root: TestUser
  let addresses = 0
  const freshAddress = () => `invited-${(addresses += 1)}@example.com`
  before(async () => {
    service = await startTestService()
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  const invite = (json: unknown, by = root, on = service) =>
    on.request('POST', '/users/invitations', { token: by.token, json })
  const pathOf = (answer: TestResponse): string => new URL(textAt(answer.json, 'url')).pathname
  const accept = (path: string, json: unknown = ACCEPTANCE, on = service) => on.request('POST', path, { json })
  const invited = async (role = 'editor', email = freshAddress()) => {
    const answer = await invite({ email, role })
    expect(answer.status, answer.text).to.equal(201)
    return { email, path: pathOf(answer), id: textAt(answer.json, 'id') }
  }

  it('give a link on the service’s own address, for a week, and the role to who accepts it', async () => {
    const email = freshAddress()
    const answer = await invite({ email, role: 'editor' })
    expect(answer.status, answer.text).to.equal(201)
    expect(textAt(answer.json, 'url')).to.match(new RegExp(`^${service.baseUrl}/invitations/[A-Za-z0-9_-]{43}/accept$`))
    expect(Date.parse(textAt(answer.json, 'expires_at'))).to.be.closeTo(Date.now() + 7 * 86_400_000, 60_000)
    const accepted = await accept(pathOf(answer))
    expect(accepted.status, accepted.text).to.equal(201)
    expect(accepted.json).to.include({ email, role: 'editor', name: 'Ada' })
    expect(accepted.text).to.not.include('password')
    const [entry] = await service.db.asOwner(
      `select request_id from decisions where kind = 'user' and resource_code = $1 order by id limit 1`,
      [textAt(accepted.json, 'id')],
    )
    expect(entry?.['request_id']).to.equal(accepted.headers.get('X-Request-ID'))
    const signedIn = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: email, password: ACCEPTANCE.password },
    })
    expect(signedIn.status, signedIn.text).to.equal(200)
    expect(
      (await service.request('GET', '/users/me', { token: textAt(signedIn.json, 'access_token') })).json,
    ).to.include({ email })
  })

  it('go to one plain address: none that looks like another, none that a mail server reads as two', async () => {
    const local = 'ada.lovelace+1@example.com'
    expect((await invite({ email: local, role: 'viewer' })).status).to.equal(201)
    expect((await invite({ email: `${'a'.repeat(64)}@${'b'.repeat(63)}.example`, role: 'viewer' })).status).to.equal(
      201,
    )
    for (const email of [
      'ada.lovelace\u200b+1@example.com',
      'ada.love\u00adlace+1@example.com',
      'ada.lovelace+1@ex\u2060ample.com',
      'ada.\u{e0061}lovelace+1@example.com',
      '\u212aate@example.com',
      '\u0430da.lovelace+1@example.com',
      'adm\u0130n@example.com',
      'ada\u202e@example.com',
      'ad\u0301a@example.com',
      '\uff41da@example.com',
      'a,b@x',
      'nobody',
      '@example.com',
      'a;b@x',
      'a@b,c@d',
      'a@b,c',
      'Ada<a@example.com>',
      'a(b)@example.com',
      '"a b"@example.com',
      'a:b@example.com',
      '.a@example.com',
      'a..b@example.com',
      'a@example..com',
      'a@-example.com',
      'a@example.com.',
      'a@[127.0.0.1]',
      'a\\b@example.com',
      `${'a'.repeat(65)}@example.com`,
    ]) {
      const answer = await invite({ email, role: 'viewer' })
      expect(answer.json, JSON.stringify(email)).to.include({ status: 422, code: 'validation_failed' })
      expect(at(answer.json, 'errors', 0, 'field')).to.equal('email')
    }
  })

  it('are not accepted under a policy that was replaced while the password was hashed', async () => {
    const { path, email } = await invited()
    const { revision } = service.policy.current()
    const accepting = acceptInvitation(service.database, async () => {
      await addRows(service, root.token, rowsFor('replacing', 700, 'link:read'))
      return 'a hash'
    })
    const failed = await accepting(
      { token: path.split('/')[2] ?? '', ...ACCEPTANCE, mayGive: async () => true, revision },
      { id: 'a-request', network: '', deadline: new Deadline(performance.now() + 5_000) },
    ).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(PolicyReplaced)
    expect(await service.db.asOwner('select from users where email = $1', [email])).to.have.length(0)
    expect((await accept(path)).status).to.equal(201)
  })

  it('wait for a suspension or another role of their inviter that is about to commit: 410 after it', async () => {
    for (const loss of ['suspended_at = now()', `role = 'viewer'`]) {
      const host = await service.addUser('admin')
      const path = pathOf(await invite({ email: freshAddress(), role: 'editor' }, host))
      const changing = new Client(service.db.owner)
      await changing.connect()
      try {
        await changing.query('begin')
        await changing.query(`update users set ${loss} where id = $1`, [host.id])
        const accepted = accept(path)
        await lockWaiters(service.db.asOwner)
        await changing.query('commit')
        expect((await accepted).json, loss).to.include({ status: 410, code: 'gone' })
      } finally {
        await changing.end()
      }
    }
  })

  it('are accepted once, and are 410 after that', async () => {
    const { path } = await invited()
    expect((await accept(path)).status).to.equal(201)
    for (let i = 0; i < 2; i++) expect((await accept(path)).json).to.include({ status: 410, code: 'gone' })
  })

  it('make one account where two accept at once, 10 times over', async () => {
    for (let round = 0; round < 10; round++) {
      const { path, email } = await invited()
      const answers = await Promise.all([accept(path), accept(path, { name: 'Eve', password: 'another password' })])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 410])
      expect(await service.db.asOwner('select from users where email = $1', [email])).to.have.length(1)
    }
  })

  it('are 410 after their end', async () => {
    const { path, email } = await invited()
    await service.db.asOwner(`update invitations set expires_at = now() where email = $1`, [email])
    expect((await accept(path)).status).to.equal(410)
    expect(await service.db.asOwner('select from users where email = $1', [email])).to.have.length(0)
  })

  it('are 404 where there never was one', async () => {
    for (const token of ['x', 'A'.repeat(43), 'A'.repeat(44), '%00', `${'A'.repeat(42)}%27`]) {
      expect((await accept(`/invitations/${token}/accept`)).status, token).to.equal(404)
    }
  })

  it('stay open where what accepts them is not valid', async () => {
    const { path } = await invited()
    for (const json of [
      { name: 'Ada' },
      { name: '', password: 'correct horse' },
      { name: 'Ada', password: 'short' },
      { ...ACCEPTANCE, role: 'admin' },
      { ...ACCEPTANCE, email: 'x@example.com' },
      { name: 'Ada', password: 'p'.repeat(257) },
    ]) {
      expect((await accept(path, json)).status, JSON.stringify(json)).to.equal(422)
    }
    expect((await accept(path)).json).to.include({ role: 'editor' })
  })

  it('say the same of an address with an account as of one without, and make no second account', async () => {
    const known = await invite({ email: root.email.toUpperCase(), role: 'viewer' })
    const unknown = await invite({ email: freshAddress(), role: 'viewer' })
    expect(known.status).to.equal(unknown.status)
    expect(Object.keys(Object(known.json))).to.deep.equal(Object.keys(Object(unknown.json)))
    const accepted = await accept(pathOf(known))
    expect(accepted.json).to.include({ status: 410, code: 'gone' })
    expect(accepted.text).to.not.include(root.email)
    expect((await service.request('GET', '/users/me', { token: root.token })).json).to.include({ role: 'admin' })
  })

  it('of one address make one account, whichever is accepted first', async () => {
    const email = freshAddress()
    const [one, two] = [await invited('viewer', email), await invited('editor', email)]
    const answers = await Promise.all([accept(one.path), accept(two.path)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 410])
  })

  it('hand out no role that is higher than the inviter’s', async () => {
    await addRows(service, root.token, rowsFor('host', 600, 'user:invite'))
    const host = await service.addUser('host')
    for (const role of ['viewer', 'editor', 'host'])
      expect((await invite({ email: freshAddress(), role }, host)).status, role).to.equal(201)
    const refused = await invite({ email: freshAddress(), role: 'admin' }, host)
    expect(refused.json).to.include({ status: 403, code: 'policy_denied' })
    for (const role of ['anonymous', 'anyone', 'user', 'Admin', ''])
      expect((await invite({ email: freshAddress(), role })).status, role).to.equal(422)
  })

  it('give nothing once their inviter is suspended, or may no longer give out the role', async () => {
    const [suspended, demoted] = [await service.addUser('admin'), await service.addUser('admin')]
    const asked = async (by: TestUser, role: string) => pathOf(await invite({ email: freshAddress(), role }, by))
    const paths = [await asked(suspended, 'viewer'), await asked(demoted, 'admin'), await asked(demoted, 'viewer')]
    const change = (user: TestUser, json: unknown) =>
      service.request('PATCH', `/users/${user.id}`, { token: root.token, json })
    expect((await change(suspended, { suspended: true })).status).to.equal(200)
    expect((await change(demoted, { role: 'editor' })).status).to.equal(200)
    const answers = []
    for (const path of paths) answers.push((await accept(path)).status)
    expect(answers).to.deep.equal([410, 410, 201])
  })

  it('take nothing for an address that is none', async () => {
    for (const email of [
      '',
      'x',
      'a@b@c',
      'a@b\nBcc: c@d',
      'a b@c',
      `${'a'.repeat(250)}@example.com`,
      'a@b, c',
      7,
      null,
    ]) {
      expect((await invite({ email, role: 'viewer' })).status, String(email)).to.equal(422)
    }
  })

  it('have a limit of their own beside the caller’s, for each inviter at any address', async () => {
    const on = await startTestService({
      db: service.db,
      environment: { RATE_LIMIT_INVITE: '2/3600', RATE_LIMIT_USER: '50/60', TRUSTED_PROXY_HOPS: '1' },
    })
    try {
      const [one, two] = [{ ...root, token: await on.tokenFor(root) }, await on.addUser('admin')]
      const from = (by: TestUser, address: string) =>
        on.request('POST', '/users/invitations', {
          token: by.token,
          json: { email: freshAddress(), role: 'viewer' },
          headers: { 'X-Forwarded-For': address },
        })
      const statuses = []
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) statuses.push((await from(one, address)).status)
      expect(statuses).to.deep.equal([201, 201, 429])
      const over = await from(one, '192.0.2.4')
      expect(over.json).to.include({ code: 'rate_limited' })
      expect(Number(over.headers.get('Retry-After'))).to.be.within(1, 3_600)
      expect(over.headers.get('RateLimit-Policy')).to.equal('"user";q=50;w=60, "invite";q=2;w=3600')
      expect((await from(two, '192.0.2.1')).status).to.equal(201)
      expect(
        (await on.request('GET', '/users', { token: one.token })).status,
        'what else they do is not limited by it',
      ).to.equal(200)
    } finally {
      await on.stop()
    }
  })

  it('are kept as SHA-256 alone, and leave a record that names nobody’s address', async () => {
    const { path, email } = await invited()
    const token = path.split('/')[2] ?? ''
    const stored = JSON.stringify(
      await service.db.asOwner(`select i.*, encode(token_hash, 'hex') as hash from invitations i where email = $1`, [
        email,
      ]),
    )
    expect(stored).to.include(createHash('sha256').update(token).digest('hex'))
    expect(stored).to.not.include(token)
    const [record] = await service.db.asOwner(
      `select * from decisions where action = 'user:invite' and effect = 'allow' order by id desc limit 1`,
    )
    expect(record).to.include({ subject_id: root.id, effect: 'allow', rule: 'R3' })
    expect(JSON.stringify(record)).to.not.include(email)
  })

  describe('are seen and withdrawn', () => {
    type By = Pick<TestUser, 'token'>
    const list = async (by: By = root, query = '') => {
      const answer = await service.request('GET', `/users/invitations${query}`, { token: by.token })
      expect(answer.status, answer.text).to.equal(200)
      return answer
    }
    const seenBy = async (by: By, email: string) =>
      listAt((await list(by, '?limit=100')).json, 'data').find((each) => at(each, 'email') === email)
    const idOf = async (email: string) => textAt(await seenBy(root, email), 'id')
    const stateOf = async (email: string, by: By = root) => at(await seenBy(by, email), 'state')
    const withdraw = (id: string, by: By = root) =>
      service.request('DELETE', `/users/invitations/${id}`, { token: by.token })
    const patch = async ({ id }: TestUser, json: object) =>
      expect((await service.request('PATCH', `/users/${id}`, { token: root.token, json })).status).to.equal(200)
    /** A role that may invite, and read users as well. */
    const roleOf = async (role: string, from: number, ...more: readonly string[]) => {
      await addRows(service, root.token, rowsFor(role, from, 'user:invite', ...more))
      return service.addUser(role)
    }

    it('with who was invited, by whom, as what, until when and what became of it, without the link', async () => {
      const { email, path } = await invited('viewer')
      const answer = await list()
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      const [first] = listAt(answer.json, 'data')
      expect(first).to.include({ email, role: 'viewer', invited_by: root.id, state: 'open' })
      expect(Object.keys(Object(first)).sort()).to.deep.equal([
        'created_at',
        'email',
        'expires_at',
        'id',
        'invited_by',
        'role',
        'state',
      ])
      expect(Date.parse(textAt(first, 'expires_at')) - Date.parse(textAt(first, 'created_at'))).to.be.closeTo(
        7 * 86_400_000,
        60_000,
      )
      expect(answer.text).to.not.include(path.split('/')[2])
    })

    it('page by page, newest first, each once, and counted', async () => {
      const made: string[] = []
      for (let i = 0; i < 5; i++) made.unshift((await invited()).email)
      const seen: string[] = []
      let cursor: unknown = null
      do {
        const page = await list(root, `?limit=2&count=true${cursor === null ? '' : `&cursor=${String(cursor)}`}`)
        seen.push(...listAt(page.json, 'data').map((each) => textAt(each, 'email')))
        cursor = at(page.json, 'next_cursor')
        expect(at(page.json, 'count')).to.be.at.least(5)
      } while (cursor !== null)
      expect(seen.slice(0, 5)).to.deep.equal(made)
      for (const query of ['?limit=0', '?cursor=x', '?state=open', '?role=viewer'])
        expect((await service.request('GET', `/users/invitations${query}`, { token: root.token })).status).to.equal(400)
    })

    it('say what became of each', async () => {
      const [open, accepted, expired] = [await invited(), await invited(), await invited()]
      await accept(accepted.path)
      await service.db.asOwner('update invitations set expires_at = now() where email = $1', [expired.email])
      const host = await service.addUser('admin')
      const lapsed = freshAddress()
      await invite({ email: lapsed, role: 'viewer' }, host)
      await patch(host, { suspended: true })
      const states = []
      for (const email of [open.email, accepted.email, expired.email, lapsed]) states.push(await stateOf(email))
      expect(states).to.deep.equal(['open', 'accepted', 'expired', 'lapsed'])
      await patch(host, { suspended: false })
      expect(await stateOf(lapsed)).to.equal('open')
    })

    it('by their inviter, and those of all by who may read every user as well', async () => {
      const host = await roleOf('greeter', 610)
      const reader = await roleOf('registrar', 620, 'user:read')
      const theirs = freshAddress()
      await invite({ email: theirs, role: 'viewer' }, host)
      const { email, path } = await invited('viewer')
      expect(await stateOf(theirs, host)).to.equal('open')
      expect(await seenBy(host, email), 'of somebody else').to.equal(undefined)
      expect(at((await list(host, '?count=true')).json, 'count')).to.equal(1)
      expect(await stateOf(theirs, reader)).to.equal('open')
      await addRows(service, root.token, rowsFor('doorman', 640, 'user:read').slice(0, 1))
      const unread = await roleOf('doorman', 650)
      expect(await seenBy(unread, theirs), 'by a role without an endpoint row to read users').to.equal(undefined)
      const narrow = { token: await service.tokenFor(reader, 'user:invite') }
      expect(await seenBy(narrow, theirs), 'by a token that reads no users').to.equal(undefined)

      const id = await idOf(email)
      const shapes = new Set<string>()
      for (const each of [id, '4611686018427387904', '0', 'x']) {
        const answer = await withdraw(each, host)
        expect(answer.status, each).to.equal(404)
        shapes.add(answer.text.replace(/"request_id":"[^"]+"/, ''))
      }
      expect(shapes.size).to.equal(1)
      expect((await service.request('GET', path)).status).to.equal(200)
      expect((await withdraw(id, narrow)).status).to.equal(404)
    })

    it('by nobody who may not invite', async () => {
      const { email } = await invited()
      const editor = await service.addUser('editor')
      const id = await idOf(email)
      for (const [method, path] of [
        ['GET', '/users/invitations'],
        ['DELETE', `/users/invitations/${id}`],
      ] as const) {
        expect((await service.request(method, path)).status).to.equal(401)
        expect((await service.request(method, path, { token: editor.token })).json).to.include({
          status: 403,
          code: 'role_not_allowed',
        })
        const token = await service.tokenFor(root, 'user:read')
        expect((await service.request(method, path, { token })).json).to.include({ code: 'insufficient_scope' })
      }
      expect(await stateOf(email)).to.equal('open')
    })

    it('are 410 for who was invited, and stay in the list', async () => {
      const { email, path, id } = await invited()
      expect(id).to.equal(await idOf(email))
      expect((await withdraw(id)).status).to.equal(204)
      for (const answer of [await service.request('GET', path), await accept(path)])
        expect(answer.json).to.include({ status: 410, code: 'gone' })
      expect(await service.db.asOwner('select from users where email = $1', [email])).to.have.length(0)
      expect(await stateOf(email)).to.equal('withdrawn')
      expect((await withdraw(id)).json, 'again').to.include({ status: 410, code: 'gone' })
      const used = await invited()
      await accept(used.path)
      expect((await withdraw(await idOf(used.email))).json, 'a used one').to.include({ code: 'gone' })
      expect(await stateOf(used.email)).to.equal('accepted')
    })

    it('are withdrawn or accepted, never both, whichever of the two comes first', async () => {
      for (const first of ['accepted', 'withdrawn'] as const) {
        const { email, path, id } = await invited()
        const both = { withdrawn: () => withdraw(id), accepted: () => accept(path) }
        const holder = new Client(service.db.owner)
        await holder.connect()
        try {
          await holder.query('begin')
          await holder.query('select from invitations where id = $1 for update', [id])
          const won = both[first]()
          await lockWaiters(service.db.asOwner, 1)
          const late = both[first === 'accepted' ? 'withdrawn' : 'accepted']()
          await lockWaiters(service.db.asOwner, 2)
          await holder.query('commit')
          expect((await won).status, first).to.be.oneOf([201, 204])
          expect((await late).json, first).to.include({ status: 410, code: 'gone' })
        } finally {
          await holder.end()
        }
        expect(await stateOf(email)).to.equal(first)
        const users = await service.db.asOwner('select from users where email = $1', [email])
        expect(users).to.have.length(first === 'accepted' ? 1 : 0)
      }
    })

    it('are not taken back by who could not have given them', async () => {
      const reader = await roleOf('warden', 630, 'user:read')
      const [high, low] = [await invited('admin'), await invited('viewer')]
      expect((await withdraw(await idOf(high.email), reader)).json).to.include({ status: 403, code: 'policy_denied' })
      expect(await stateOf(high.email)).to.equal('open')
      expect((await withdraw(await idOf(low.email), reader)).status).to.equal(204)
    })

    it('leave a decision and an entry of the inviter’s account, neither with an address', async () => {
      const { email } = await invited('viewer')
      const id = await idOf(email)
      const other = await service.addUser('admin')
      expect((await withdraw(id, other)).status).to.equal(204)
      const entries = await service.db.asOwner(
        `select kind, subject_id, action, rule, status, resource_type, resource_code, change from decisions
          where resource_type = 'invitation' and resource_code = $1 and status = 204
             or change ->> 'invitation' = $1 order by id`,
        [id],
      )
      expect(entries.map(({ kind }) => kind)).to.deep.equal(['decision', 'user'])
      expect(entries[0]).to.include({ subject_id: other.id, action: 'user:invite', rule: 'R3' })
      expect(entries[1]).to.deep.include({
        subject_id: other.id,
        resource_code: root.id,
        change: { what: 'invitation withdrawn', invitation: id, role: 'viewer' },
      })
      expect(JSON.stringify(entries)).to.not.include(email)
    })
  })

  describe('by e-mail', () => {
    it('are sent to who is invited, with the link', async () => {
      const mail = await startMailServer()
      const on = await startTestService({
        db: service.db,
        environment: { SMTP_URL: mail.url, MAIL_FROM: 'links@example.com' },
      })
      try {
        const inviter = { ...root, token: await on.tokenFor(root) }
        const arrived = mail.next()
        const email = freshAddress()
        const answer = await invite({ email, role: 'viewer' }, inviter, on)
        await arrived
        expect(mail.mails).to.have.length(1)
        expect(mail.mails[0]?.to).to.deep.equal([email])
        expect(mail.mails[0]?.text).to.match(/^From: links@example\.com\r$/m)
        // quoted-printable breaks lines with =
        expect(mail.mails[0]?.text.replaceAll('=\r\n', '')).to.include(textAt(answer.json, 'url'))
        expect((await accept(pathOf(answer), ACCEPTANCE, on)).status).to.equal(201)
      } finally {
        await on.stop()
        await mail.stop()
      }
    })

    for (const what of ['away', 'refusing'] as const) {
      it(`are made at once where the mail server is ${what}; the failure is logged without the link`, async () => {
        const mail = await startMailServer({ refusing: what === 'refusing' })
        if (what === 'away') await mail.stop()
        const { log, line, lines } = keepLog()
        const on = await startTestService({ db: service.db, log, environment: { SMTP_URL: mail.url } })
        try {
          const email = freshAddress()
          const answer = await invite({ email, role: 'viewer' }, { ...root, token: await on.tokenFor(root) }, on)
          expect(answer.status, answer.text).to.equal(201)
          expect((await accept(pathOf(answer), ACCEPTANCE, on)).status).to.equal(201)
          const told = JSON.parse(await line('could not be sent')) as unknown
          expect(textAt(told, 'code')).to.match(/^E[A-Z]+$/)
          expect(at(told, 'level')).to.equal(50)
          expect(lines().join('')).to.not.include(pathOf(answer)).and.not.include(email)
        } finally {
          await on.stop()
          if (what !== 'away') await mail.stop()
        }
      })
    }
  })
})
