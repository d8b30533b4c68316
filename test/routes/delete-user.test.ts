import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { createPasswords } from '../../src/identity/password.js'
import { MOST_LINKS } from '../../src/layers/4-data/user-deletion.js'
import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { addAccountToken, addLink, addManyLinks } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const PASSWORD = 'correct horse battery'

describe('DELETE /users/{id}', () => {
  let service: TestService
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

  const remove = (id: string, query = '', { by = root, on = service }: { by?: TestUser; on?: TestService } = {}) =>
    on.request('DELETE', `/users/${id}${query}`, { token: by.token })
  const users = (...ids: readonly string[]) =>
    service.db.asOwner<{ id: string }>('select id from users where id = any($1) order by id', [ids])
  const linksOf = (owner: string) =>
    service.db.asOwner<Record<string, unknown>>('select * from links where owner_id = $1 order by id', [owner])
  const trashOf = (owner: string) =>
    service.db.asOwner<Record<string, unknown>>('select * from deleted_links where owner_id = $1 order by id', [owner])
  const create = async (by: TestUser, json: object = {}) =>
    textAt(
      (await service.request('POST', '/links', { token: by.token, json: { target: 'https://example.com/', ...json } }))
        .json,
      'code',
    )
  const putIntoTrash = async (code: string) =>
    expect((await service.request('DELETE', `/links/${code}`, { token: root.token })).status).to.equal(204)
  const entriesOf = (requestId: string | null) =>
    service.db.asOwner<Record<string, unknown>>(
      `select kind, action, resource_type, resource_code, relation, effect, rule, subject_id from decisions
        where request_id = $1 order by id`,
      [requestId],
    )

  it('deletes a user without links, and their tokens are worth nothing anywhere', async () => {
    const user = await service.addUser('editor')
    const answer = await remove(user.id)
    expect(answer.status, answer.text).to.equal(204)
    expect(answer.text).to.equal('')
    expect(await users(user.id)).to.deep.equal([])
    for (const on of [service, other])
      expect((await on.request('GET', '/users/me', { token: user.token })).status).to.equal(401)
    expect((await remove(user.id)).status).to.equal(404)
    expect((await service.request('GET', `/users/${user.id}`, { token: root.token })).status).to.equal(404)
    expect(await entriesOf(answer.headers.get('X-Request-ID'))).to.deep.equal([
      {
        kind: 'decision',
        action: 'user:delete',
        resource_type: 'user',
        resource_code: user.id,
        relation: 'other',
        effect: 'allow',
        rule: 'R3',
        subject_id: root.id,
      },
      {
        kind: 'user',
        action: null,
        resource_type: 'user',
        resource_code: user.id,
        relation: null,
        effect: null,
        rule: null,
        subject_id: root.id,
      },
    ])
  })

  it('says how many links a user has, where nothing is said of them, and changes nothing', async () => {
    const user = await service.addUser('editor')
    await create(user)
    const one = await remove(user.id)
    expect(one.json).to.include({ status: 409, code: 'has_links', links: 1 })
    await create(user)
    const answer = await remove(user.id)
    expect(answer.json).to.include({ status: 409, code: 'has_links', links: 2 })
    expect(textAt(answer.json, 'detail')).to.include('2 links')
    expect(await users(user.id)).to.have.length(1)
    expect(await linksOf(user.id)).to.have.length(2)
    expect((await service.request('GET', '/users/me', { token: user.token })).status).to.equal(200)
  })

  it('links=delete deletes the links for good, each with the decision about it in the log', async () => {
    const user = await service.addUser('editor')
    const codes = [await create(user), await create(user), await create(user)]
    const trashed = await create(user)
    await putIntoTrash(trashed)
    const foreign = await create(root)
    for (const on of [service, other]) expect((await on.request('GET', `/${codes[0]}`)).status).to.equal(302)

    const answer = await remove(user.id, '?links=delete')
    expect(answer.status, answer.text).to.equal(204)
    for (const code of codes) expect((await service.request('GET', `/${code}`)).status, code).to.equal(404)
    const left = await service.db.asOwner(
      'select code from links where code = any($1) union all select code from deleted_links where code = any($1)',
      [[...codes, trashed]],
    )
    expect(left).to.deep.equal([])
    expect((await service.request('GET', `/links/${foreign}`)).status).to.equal(200)

    const entries = await entriesOf(answer.headers.get('X-Request-ID'))
    expect(entries.filter(({ resource_type: type }) => type === 'link')).to.have.deep.members(
      codes.map((code) => ({
        kind: 'decision',
        action: 'link:delete',
        resource_type: 'link',
        resource_code: code,
        relation: 'other',
        effect: 'allow',
        rule: 'R3',
        subject_id: root.id,
      })),
    )
    expect(entries).to.have.length(codes.length + 2)
  })

  it('links=transfer gives the links to the other user with all that is kept with them, deleted ones too', async () => {
    const [user, heir] = [await service.addUser('editor'), await service.addUser('viewer')]
    const codes = [
      await create(user, { title: 'A title', note: 'A note', tags: ['a', 'b'], max_visits: 7, password: 'a password' }),
      await create(user, { status: 308, expires_at: '2999-01-01T00:00:00.000Z', forward_query: true }),
    ]
    const trashed = await create(user)
    await putIntoTrash(trashed)
    await service.db.asOwner('update links set used = 3 where code = $1', [codes[0]])
    const kept = ({ owner_id: _owner, updated_at: _at, version: _version, ...rest }: Record<string, unknown>) => rest
    const [before, inTrash] = [await linksOf(user.id), await trashOf(user.id)]
    expect([before.length, inTrash.length]).to.deep.equal([2, 1])

    const answer = await remove(user.id, `?links=transfer:${heir.id}`)
    expect(answer.status, answer.text).to.equal(204)
    const after = await linksOf(heir.id)
    expect(after.map(kept)).to.deep.equal(before.map(kept))
    expect(after.map(({ version }) => Number(version))).to.deep.equal(before.map(({ version }) => Number(version) + 1))
    expect((await trashOf(heir.id)).map(kept)).to.deep.equal(inTrash.map(kept))
    expect(await users(user.id)).to.deep.equal([])
    const changed = await service.request('PATCH', `/links/${codes[1]}`, { token: heir.token, json: { title: 'Mine' } })
    expect(changed.status, changed.text).to.equal(200)

    const entries = await entriesOf(answer.headers.get('X-Request-ID'))
    expect(
      entries.filter(({ action }) => action === 'link:transfer').map(({ resource_code: code }) => code),
    ).to.have.members([...codes, trashed])
  })

  it('takes the deleted links of a user who has no others', async () => {
    const user = await service.addUser('editor')
    const code = await create(user)
    await putIntoTrash(code)
    expect((await remove(user.id)).status).to.equal(204)
    expect(await service.db.asOwner('select from deleted_links where code = $1', [code])).to.have.length(0)
  })

  it('refuses a new owner who is nobody or the deleted user, and what means nothing', async () => {
    const user = await service.addUser('editor')
    await create(user)
    const gone = await service.addUser('viewer')
    expect((await remove(gone.id)).status).to.equal(204)
    for (const to of ['4611686018427387904', gone.id, user.id]) {
      const answer = await remove(user.id, `?links=transfer:${to}`)
      expect(answer.json).to.include({ status: 422, code: 'validation_failed' })
      expect(at(answer.json, 'errors', 0, 'field')).to.equal('links')
    }
    for (const links of ['', 'keep', 'transfer', 'transfer:', 'transfer:0', 'transfer:x', 'delete&links=delete'])
      expect((await remove(user.id, `?links=${links}`)).json, links).to.include({ status: 400, code: 'invalid_query' })
    expect((await remove(user.id, '?link=delete')).status).to.equal(400)
    expect(await linksOf(user.id)).to.have.length(1)
  })

  it(`is refused at once for more than ${MOST_LINKS} links`, async () => {
    const user = await service.addUser('editor')
    await addManyLinks(service.db, { owner: user.id, count: MOST_LINKS + 1, prefix: 'many-' })
    const heir = await service.addUser('editor')
    for (const query of ['?links=delete', `?links=transfer:${heir.id}`]) {
      const answer = await remove(user.id, query)
      expect(answer.json).to.include({ status: 409, code: 'too_many_links', links: MOST_LINKS + 1 })
    }
    expect(await users(user.id)).to.have.length(1)
    // the trash goes with them where somebody else gets them
    for (const code of ['many-1', 'many-2']) await putIntoTrash(code)
    const transfer = await remove(user.id, `?links=transfer:${heir.id}`)
    expect(transfer.json).to.include({ status: 409, code: 'too_many_links', links: MOST_LINKS + 1 })
  })

  it('is for who has the scope and the role, and reveals nobody to others', async () => {
    const user = await service.addUser('viewer')
    const narrow = { ...root, token: await service.tokenFor(root, 'user:read user:update link:delete') }
    expect((await remove(user.id, '', { by: narrow })).json).to.include({ status: 403, code: 'insufficient_scope' })
    for (const role of ['viewer', 'editor']) {
      const by = await service.addUser(role)
      for (const id of [user.id, by.id, '4611686018427387904'])
        expect((await remove(id, '', { by })).json).to.include({ status: 403, code: 'role_not_allowed' })
    }
    expect((await service.request('DELETE', `/users/${user.id}`)).status).to.equal(401)
    expect(await users(user.id)).to.have.length(1)
  })

  describe('by a role with rows for it', () => {
    let warden: TestUser
    before(async () => {
      await addRows(service, root.token, [
        ...rowsFor('warden', 600, 'user:delete'),
        {
          ptype: 'p',
          priority: 730,
          rule: 'SELF',
          role: 'leaver',
          action: 'user:delete',
          reach: 'own',
          effect: 'allow',
        },
        { ptype: 'p2', role: 'leaver', action: 'user:delete' },
      ])
      for (const on of [service, other]) await on.policy.refresh()
      warden = await service.addUser('warden')
    })

    it('brings nobody down who stands above it', async () => {
      const admin = await service.addUser('admin')
      expect((await remove(admin.id, '', { by: warden })).json).to.include({ status: 403, code: 'policy_denied' })
      expect(await users(admin.id)).to.have.length(1)
      expect((await remove((await service.addUser('viewer')).id, '', { by: warden })).status).to.equal(204)
    })

    it('neither deletes nor gives away links that the rows deny it', async () => {
      const user = await service.addUser('viewer')
      const code = await create(user)
      for (const links of ['delete', `transfer:${warden.id}`]) {
        const answer = await remove(user.id, `?links=${links}`, { by: warden })
        expect(answer.json, links).to.include({ status: 403, code: 'policy_denied' })
      }
      expect((await remove(user.id, '', { by: warden })).json).to.include({ status: 409, links: 1 })
      expect((await service.request('GET', `/links/${code}`)).status).to.equal(200)
    })

    it('asks the endpoint rows about links, too', async () => {
      const transfer = { ptype: 'p2', role: 'mover', action: 'link:transfer' }
      await addRows(service, root.token, [
        ...rowsFor('mover', 740, 'user:delete'),
        {
          ptype: 'p',
          priority: 745,
          rule: 'M1',
          role: 'mover',
          action: 'link:transfer',
          reach: 'any',
          effect: 'allow',
        },
      ])
      const [mover, user] = [await service.addUser('mover'), await service.addUser('viewer')]
      await create(user)
      const links = `?links=transfer:${mover.id}`
      expect((await remove(user.id, links, { by: mover })).json).to.include({ status: 403, code: 'policy_denied' })
      await addRows(service, root.token, [transfer])
      expect((await remove(user.id, links, { by: mover })).status).to.equal(204)
    })

    it('lets people delete themselves, and nobody else, where a row says own', async () => {
      const [leaver, neighbour] = [await service.addUser('leaver'), await service.addUser('leaver')]
      const code = await create(leaver)
      const theirs = await create(neighbour)
      expect((await remove(neighbour.id, '?links=delete', { by: leaver })).status).to.equal(403)
      expect((await remove(leaver.id, `?links=transfer:${neighbour.id}`, { by: leaver })).status).to.equal(403)
      expect((await remove(leaver.id, '', { by: leaver })).json).to.include({ code: 'has_links', links: 1 })
      const answer = await remove(leaver.id, '?links=delete', { by: leaver })
      expect(answer.status, answer.text).to.equal(204)
      expect((await service.request('GET', `/links/${code}`)).status).to.equal(404)
      expect((await service.request('GET', `/links/${theirs}`)).status).to.equal(200)
      expect(await users(leaver.id, neighbour.id)).to.deep.equal([{ id: neighbour.id }])
    })
  })

  describe('of admins', () => {
    let alone: TestService
    let first: TestUser
    before(async () => {
      alone = await startTestService()
      first = await alone.addUser('admin')
    })
    after(() => alone.stop())
    const byHttp = (by: TestUser, id: string) =>
      alone.request('DELETE', `/users/${id}?links=delete`, { token: by.token })
    const active = () =>
      alone.db.asOwner<{ id: string }>(`select id from users where role = 'admin' and suspended_at is null`)

    it('never takes the last active one, nor their links', async () => {
      const code = await addLink(alone.db, { owner: first.id })
      const suspended = await alone.addUser('admin')
      await alone.db.asOwner('update users set suspended_at = now() where id = $1', [suspended.id])
      const answer = await byHttp(first, first.id)
      expect(answer.json).to.include({ status: 409, code: 'last_admin' })
      expect(await alone.db.asOwner('select from links where code = $1', [code])).to.have.length(1)
      expect((await byHttp(first, suspended.id)).status).to.equal(204)
    })

    it('takes one who deletes themselves where another remains', async () => {
      const second = await alone.addUser('admin')
      expect((await byHttp(second, second.id)).status).to.equal(204)
      expect(await active()).to.deep.equal([{ id: first.id }])
    })

    for (const [what, target] of [
      ['each other', (_self: TestUser, peer: TestUser) => peer.id],
      ['themselves', (self: TestUser) => self.id],
    ] as const)
      it(`leaves one where two delete ${what} at once, 20 times over`, async () => {
        let standing = first
        for (let round = 0; round < 20; round += 1) {
          const second = await alone.addUser('admin')
          const answers = await Promise.all([
            byHttp(standing, target(standing, second)),
            byHttp(second, target(second, standing)),
          ])
          const left = await active()
          expect(left, answers.map(({ text }) => text).join()).to.have.length(1)
          const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
          expect(statuses[0]).to.equal(204)
          expect(statuses[1]).to.be.oneOf([401, 404, 409])
          if (left[0]?.id === second.id) standing = second
        }
        first = standing
      })
  })

  it('of two who inherit from each other at once is no deadlock', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [ada, bob] = [await service.addUser('editor'), await service.addUser('editor')]
      await create(ada)
      await create(bob)
      const answers = await Promise.all([
        remove(ada.id, `?links=transfer:${bob.id}`),
        remove(bob.id, `?links=transfer:${ada.id}`, { on: other }),
      ])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([204, 422])
    }
  })

  it('is acknowledged after a change of theirs that waits for a row, and not before', async () => {
    const ada = await service.addUser('editor')
    const heir = await service.addUser('editor')
    const code = await create(ada)
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from links where code = $1 for update', [code])
      const done: string[] = []
      const changing = service
        .request('PATCH', `/links/${code}`, { token: ada.token, json: { target: 'https://example.com/changed' } })
        .then(({ status }) => done.push(`changed ${status}`))
      await lockWaiters(service.db.asOwner, 1)
      const deleting = remove(ada.id, `?links=transfer:${heir.id}`, { on: other }).then(({ status }) =>
        done.push(`deleted ${status}`),
      )
      await lockWaiters(service.db.asOwner, 2)
      await client.query('commit')
      await Promise.all([changing, deleting])
      expect(done).to.have.members(['changed 200', 'deleted 204'])
    } finally {
      await client.end()
    }
    const [link] = await linksOf(heir.id)
    expect(link).to.include({ code, target: 'https://example.com/changed' })
  })

  it('is described for every table that there is', async () => {
    const page = await readFile(new URL('docs/privacy.md', PACKAGE_ROOT), 'utf8')
    const tables = await service.db.asOwner<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    const rows = page.split('\n').filter((line) => line.startsWith('|'))
    for (const { name } of tables)
      expect(
        rows.some((row) => row.includes(`\`${name}\``)),
        name,
      ).to.equal(true)
  })

  it('leaves nothing in the database by which anybody would know who it was', async () => {
    const hash = await (await createPasswords()).hash(PASSWORD)
    const heir = await service.addUser('editor')
    const [user] = await service.db.asOwner<{ id: string }>(
      `insert into users (email, name, role, password_hash)
       values ('augusta@byron.example', 'Augusta Ada', 'admin', $1) returning id`,
      [hash],
    )
    // to an address that she had before
    await service.request('POST', '/users/invitations', {
      token: root.token,
      json: { email: 'AUGUSTA@byron.example', role: 'viewer' },
    })
    await service.db.asOwner(`update users set email = 'augusta@lovelace.example' where id = $1`, [user?.id])
    const ada = { id: user?.id ?? '', email: 'augusta@lovelace.example' }
    const post = (path: string, json: unknown, headers = {}, token = '') =>
      service.request('POST', path, { json, headers, ...(token === '' ? {} : { token }) })
    const credentials = { grant_type: 'password', username: ada.email }
    const signedIn = await post('/auth/token', { ...credentials, password: PASSWORD })
    const token = textAt(signedIn.json, 'access_token')
    await post('/auth/token', { ...credentials, password: 'a wrong one' })
    await post('/auth/token', { grant_type: 'refresh_token', refresh_token: textAt(signedIn.json, 'refresh_token') })
    await post('/users/me/tokens', { name: 'the key of Augusta', scopes: ['link:read'] }, {}, token)
    await post('/links', { target: 'https://example.com/', title: 'kept' }, { 'Idempotency-Key': 'once' }, token)
    await post('/users/invitations', { email: 'invited@lovelace.example', role: 'viewer' }, {}, token)
    await post('/users/invitations', { email: 'AUGUSTA@lovelace.example', role: 'viewer' }, {}, root.token)
    await service.request('PATCH', '/users/me', { token, json: { name: 'Augusta Ada King' } })
    await addRows(service, token, rowsFor('scribe', 900, 'doc:sign'))
    for (const on of [service, other]) await on.policy.refresh()
    await service.db.asOwner(`insert into external_identities values ('https://issuer.example', 'idp|augusta', $1)`, [
      ada.id,
    ])
    await addAccountToken(service.db, ada.id, 'countess@lovelace.example')
    const [secrets] = await service.db.asOwner<{ hashes: string[] }>(
      `select array(select encode(token_hash, 'hex') from refresh_tokens where user_id = $1
         union all select encode(token_hash, 'hex') from personal_tokens where user_id = $1
         union all select encode(token_hash, 'hex') from account_tokens where user_id = $1
         union all select encode(token_hash, 'hex') from invitations where invited_by = $1
         union all select encode(key_hash, 'hex') from idempotency_keys where user_id = $1) as hashes`,
      [ada.id],
    )
    expect(secrets?.hashes).to.have.length(6)

    /** Every row of every table that has one of these texts in it. */
    const traces = async (...texts: readonly string[]) => {
      const tables = await service.db.asOwner<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
          where table_schema = 'public' and table_type = 'BASE TABLE'`,
      )
      expect(tables.length).to.be.above(15)
      const found: string[] = []
      for (const { name } of tables) {
        const rows = await service.db.asOwner<{ text: string }>(`select t::text as text from ${name} t`)
        for (const { text } of rows)
          for (const each of texts)
            if (text.toLowerCase().includes(each.toLowerCase())) found.push(`${name}: ${each} in ${text}`)
      }
      return found
    }
    const known = ['augusta', 'lovelace', 'byron', hash, ...(secrets?.hashes ?? [])]
    expect(await traces(...known)).to.have.length.of.at.least(known.length - 1)

    const answer = await remove(ada.id, `?links=transfer:${heir.id}`)
    expect(answer.status, answer.text).to.equal(204)
    expect(await traces(...known)).to.deep.equal([])
    expect(await linksOf(heir.id)).to.have.length(1)

    // who made the edit is still said, by the id
    const revisions = await service.request('GET', '/policy/revisions', { token: root.token })
    expect(at(revisions.json, 'data', 0, 'actor')).to.deep.equal({ id: ada.id, name: null })
    expect((await service.request('GET', `/audit/decisions?user=${ada.id}`, { token: root.token })).status).to.equal(
      200,
    )
  })
})
