import { expect } from 'chai'

import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt, textAt } from '../support/json.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('users over HTTP', () => {
  let service: TestService
  /** the same installation: another process would be no different, since nothing is kept but in the database */
  let other: TestService
  let root: TestUser
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
    root = await service.addUser('admin')
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  const patch = (id: string, json: unknown, by = root, on = service) =>
    on.request('PATCH', `/users/${id}`, { token: by.token, json })
  const show = (id: string) => service.request('GET', `/users/${id}`, { token: root.token })

  it('refuses to change oneself to whom the policy lets change nobody else: that is the profile (R7)', async () => {
    const rows = rowsFor('self-changer', 950, 'user:update').map((row) => ({
      ...row,
      ...('reach' in row && { reach: 'own' }),
    }))
    await addRows(service, root.token, rows)
    const self = await service.addUser('self-changer')
    for (const change of [{ suspended: true }, { role: 'viewer' }, { email: 'another@example.com' }]) {
      const answer = await patch(self.id, change, self)
      expect(answer.json, answer.text).to.include({ status: 403, code: 'policy_denied' })
    }
    expect((await patch((await service.addUser('viewer')).id, { suspended: true }, self)).status).to.equal(403)
    expect((await show(self.id)).json).to.include({ role: 'self-changer', suspended: false })
  })

  it('lists them page by page, newest first, each once, also while others are added', async () => {
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.unshift((await service.addUser('viewer')).id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await service.request('GET', `/users?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`, {
        token: root.token,
      })
      expect(page.status, page.text).to.equal(200)
      expect(page.headers.get('Cache-Control')).to.equal('no-store')
      seen.push(...listAt(page.json, 'data').map((user) => textAt(user, 'id')))
      const next = at(page.json, 'next_cursor')
      cursor = typeof next === 'string' ? next : null
      await service.addUser('viewer')
    } while (cursor !== null)
    expect(new Set(seen).size).to.equal(seen.length)
    expect(seen.slice(0, 7)).to.deep.equal(made)
    expect(seen).to.include(root.id)
  })

  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1e1',
    'cursor=x',
    `cursor=${Buffer.from('["-id","1 or 1=1"]').toString('base64url')}`,
    'role=Admin',
    'role=user',
    'suspended=1',
    'q=',
    `q=${'q'.repeat(201)}`,
    'name=Ada',
    'limit=1&limit=2',
  ]) {
    it(`refuses the list with ${query}`, async () => {
      expect((await service.request('GET', `/users?${query}`, { token: root.token })).status).to.equal(400)
    })
  }

  it('lists those whom a text in name or address, a role and a suspension leave, by pages, and counted', async () => {
    const made = [await service.addUser('editor'), await service.addUser('editor'), await service.addUser('viewer')]
    const name = 'Zoë 100%_\\ O’Hara'
    await service.db.asOwner('update users set name = $1 where id = any($2)', [name, made.map(({ id }) => id)])
    await patch(made[0]?.id ?? '', { suspended: true })
    const find = async (query: string) => {
      const answer = await service.request('GET', `/users?count=true&${query}`, { token: root.token })
      expect(answer.status, answer.text).to.equal(200)
      const found = listAt(answer.json, 'data').map((user) => textAt(user, 'id'))
      return { found, count: at(answer.json, 'count'), next: at(answer.json, 'next_cursor') }
    }
    const [first, second, third] = made.map(({ id }) => id)
    const q = (text: string) => `q=${encodeURIComponent(text)}`
    expect(await find(q('zoë 100%_\\ o’h'))).to.deep.equal({ found: [third, second, first], count: 3, next: null })
    expect((await find(`${q('ZOË')}&role=editor`)).found).to.deep.equal([second, first])
    expect((await find(`${q('zoë')}&role=editor&suspended=true`)).found).to.deep.equal([first])
    expect((await find(`${q('zoë')}&suspended=false`)).found).to.deep.equal([third, second])
    expect((await find(q(made[1]?.email.toUpperCase() ?? ''))).found).to.deep.equal([second])
    for (const nothing of ['100%x', 'zoë%hara', `' or true --`, 'comzoë']) {
      expect(await find(q(nothing)), nothing).to.deep.equal({ found: [], count: 0, next: null })
    }
    const page = await find(`${q('zoë')}&limit=2`)
    expect(page).to.deep.include({ found: [third, second], count: 3 })
    expect((await find(`${q('zoë')}&limit=2&cursor=${String(page.next)}`)).found).to.deep.equal([first])
    // an accent as a character of its own, and the two small sigmas of Greek
    await service.db.asOwner('update users set name = $1 where id = $2', ['Zoë Γιώργος'.normalize('NFD'), second])
    for (const spelling of ['zoë γιώ', 'ΓΙΏΡΓΟΣ', 'zoë γιώργος'.normalize('NFD')])
      expect((await find(q(spelling))).found, spelling).to.deep.equal([second])
  })

  it('shows one, without anything of their password', async () => {
    const { id, email } = await service.addUser('editor')
    const answer = await show(id)
    expect(answer.json).to.include({ id, email, role: 'editor', suspended: false })
    expect(Object.keys(Object(answer.json)).sort()).to.deep.equal([
      'created_at',
      'email',
      'id',
      'name',
      'role',
      'suspended',
    ])
    for (const unknown of ['4611686018427387904', '0', '-1', '9223372036854775808', 'abc', '1%20or%201=1'])
      expect((await show(unknown)).status, unknown).to.equal(404)
  })

  it('refuses fields that are not role and suspended, and changes nothing then', async () => {
    const { id } = await service.addUser('viewer')
    for (const json of [
      { role: 'editor', email: 'x@example.com' },
      { role: 'editor', id: '1' },
      { role: 'editor', password_hash: 'x' },
      { role: 'anonymous' },
      { role: 'anyone' },
      { role: 'user' },
      { role: 'Admin' },
      { role: ' admin' },
      { role: ['admin'] },
      { role: null },
      { suspended: 'true' },
      { suspended: 1 },
      [],
      'admin',
      null,
    ]) {
      const answer = await patch(id, json)
      expect(answer.status, `${JSON.stringify(json)} ${answer.text}`).to.equal(422)
    }
    expect((await show(id)).json).to.include({ role: 'viewer', suspended: false })
  })

  it('binds the next request by a new role, on every node, whatever the token says', async () => {
    const user = await service.addUser('admin')
    const list = (on: TestService) => on.request('GET', '/users', { token: user.token })
    for (const on of [service, other]) expect((await list(on)).status).to.equal(200)
    expect((await patch(user.id, { role: 'viewer' })).json).to.include({ role: 'viewer' })
    for (const on of [service, other])
      expect((await list(on)).json).to.include({ status: 403, code: 'role_not_allowed' })
    await patch(user.id, { role: 'admin' }, root, other)
    for (const on of [service, other]) expect((await list(on)).status).to.equal(200)
  })

  it('binds the next request by a suspension, on every node, with every kind of token, until it ends', async () => {
    const user = await service.addUser('editor')
    const made = await service.request('POST', '/users/me/tokens', {
      token: user.token,
      json: { name: 'a key', scopes: ['profile:read', 'link:read'] },
    })
    const tokens = [user.token, textAt(made.json, 'token')]
    const statuses = async (path: string) =>
      Promise.all(
        [service, other].flatMap((on) =>
          tokens.map(async (token) => (await on.request('GET', path, { token })).status),
        ),
      )
    expect(await statuses('/users/me')).to.deep.equal([200, 200, 200, 200])
    expect((await patch(user.id, { suspended: true })).json).to.include({ suspended: true })
    expect(await statuses('/users/me')).to.deep.equal([401, 401, 401, 401])
    expect(await statuses('/links/absent'), 'public routes too').to.deep.equal([401, 401, 401, 401])
    await patch(user.id, { suspended: false })
    expect(await statuses('/users/me')).to.deep.equal([200, 200, 200, 200])
  })

  it('records who changed whom, with the rule that allowed it', async () => {
    const { id } = await service.addUser('viewer')
    await patch(id, { role: 'editor' })
    const [record] = await service.db.asOwner(
      `select subject_id, action, resource_type, effect, rule from decisions
        where kind = 'decision' and resource_type = 'user' and resource_code = $1`,
      [id],
    )
    expect(record).to.deep.equal({
      subject_id: root.id,
      action: 'user:update',
      resource_type: 'user',
      effect: 'allow',
      rule: 'R3',
    })
  })

  describe('the last active admin', () => {
    let alone: TestService
    let admin: TestUser
    before(async () => {
      alone = await startTestService()
      admin = await alone.addUser('admin')
    })
    after(() => alone.stop())

    const change = (by: TestUser, id: string, json: unknown) =>
      alone.request('PATCH', `/users/${id}`, { token: by.token, json })

    for (const json of [{ role: 'editor' }, { suspended: true }, { role: 'viewer', suspended: true }]) {
      it(`stays: ${JSON.stringify(json)} is 409`, async () => {
        const answer = await change(admin, admin.id, json)
        expect(answer.status, answer.text).to.equal(409)
        expect(answer.json).to.include({ code: 'last_admin' })
        expect((await alone.request('GET', `/users/${admin.id}`, { token: admin.token })).json).to.include({
          role: 'admin',
          suspended: false,
        })
      })
    }

    it('is not helped by one who is suspended', async () => {
      const second = await alone.addUser('admin')
      expect((await change(admin, second.id, { suspended: true })).status).to.equal(200)
      expect((await change(admin, admin.id, { role: 'editor' })).status).to.equal(409)
      expect((await change(admin, second.id, { role: 'editor' })).status, 'who does not count may go').to.equal(200)
    })

    for (const json of [{ role: 'editor' }, { suspended: true }]) {
      it(`stays where two admins do ${JSON.stringify(json)} to each other at once, 20 times over`, async () => {
        for (let round = 0; round < 20; round++) {
          const second = await alone.addUser('admin')
          const answers = await Promise.all([change(admin, second.id, json), change(second, admin.id, json)])
          const active = await alone.db.asOwner<{ id: string }>(
            `select id from users where role = 'admin' and suspended_at is null`,
          )
          expect(active.length, answers.map(({ text }) => text).join(' ')).to.equal(1)
          // the loser met the last-admin rule, or was no admin any more when it was decided
          expect(answers.map(({ status }) => status).sort()[0]).to.equal(200)
          expect(answers.map(({ status }) => status).sort()[1]).to.be.oneOf([409, 403, 401])
          await alone.db.asOwner(`update users set role = 'admin', suspended_at = null where id = $1`, [admin.id])
          await alone.db.asOwner(`update users set role = 'viewer' where id = $1`, [second.id])
        }
      })
    }
  })

  describe('a role with rows for users, and no more', () => {
    let clerk: TestUser
    before(async () => {
      await addRows(service, root.token, rowsFor('clerk', 600, 'user:read', 'user:update', 'user:invite'))
      await addRows(service, root.token, rowsFor('helpdesk', 620, 'user:read', 'user:update'))
      for (const on of [service, other]) await on.policy.refresh()
      clerk = await service.addUser('clerk')
    })

    it('moves users among roles that are no higher than itself', async () => {
      const { id } = await service.addUser('viewer')
      for (const role of ['editor', 'helpdesk', 'clerk', 'viewer', 'a-role-without-rows']) {
        const answer = await patch(id, { role }, clerk)
        expect(answer.status, answer.text).to.equal(200)
      }
      expect((await patch(id, { suspended: true }, clerk)).status).to.equal(200)
    })

    it('raises neither itself nor others above itself', async () => {
      const helpdesk = await service.addUser('helpdesk')
      const { id } = await service.addUser('viewer')
      for (const [by, target, role] of [
        [clerk, id, 'admin'],
        [clerk, clerk.id, 'admin'],
        [helpdesk, id, 'clerk'],
        [helpdesk, helpdesk.id, 'clerk'],
        [helpdesk, helpdesk.id, 'admin'],
      ] as const) {
        const answer = await patch(target, { role }, by)
        expect(answer.status, answer.text).to.equal(403)
        expect(answer.json).to.include({ code: 'policy_denied' })
        expect((await show(target)).json).to.not.include({ role })
      }
    })

    it('brings nobody down who stands above it', async () => {
      for (const json of [{ role: 'viewer' }, { suspended: true }, { suspended: false }, { role: 'admin' }]) {
        expect((await patch(root.id, json, clerk)).json, JSON.stringify(json)).to.include({
          status: 403,
          detail:
            'The role admin may do what the role clerk may not, so clerk neither gives it nor changes who has it.',
        })
      }
      expect((await show(root.id)).json).to.include({ role: 'admin', suspended: false })
    })

    it('does not rise by an edit of the policy that it may not make', async () => {
      const answer = await service.request('POST', '/policy/changes', {
        token: clerk.token,
        headers: { 'If-Match': '"1"' },
        json: { add: rowsFor('clerk', 700, 'policy:write'), remove: [], reason: 'please' },
      })
      expect(answer.status).to.equal(403)
    })
  })
})
