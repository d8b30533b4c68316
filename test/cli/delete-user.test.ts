import { userInfo } from 'node:os'
import { join } from 'node:path'

import { expect } from 'chai'
import { Client } from 'pg'

import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { toId } from '../../src/domain/id.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { runCommand } from '../support/cli.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { onDatabase } from '../support/node.js'
import { addLink, addManyLinks } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('linkgate user delete', () => {
  let db: TestDatabase
  let pool: Database
  let environment: Readonly<Record<string, string>>
  before(async () => {
    db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 10_000 })
    environment = { ...onDatabase(db.service, db.owner), DATA_DIR: await makeTemporaryFolder() }
    await madeSigningKey(join(environment['DATA_DIR'] ?? '', 'signing-key.pem'))
  })
  after(() => pool.close())

  const run = (...args: readonly string[]) => runCommand(args, { environment })
  const add = async (email: string, role = 'editor') => {
    const { out, err } = await run('user', 'add', '--email', email, '--role', role)
    expect(err).to.equal('')
    return toId(textAt(JSON.parse(out), 'id'))
  }
  const remove = (...args: readonly string[]) => run('user', 'delete', ...args)
  const ownersOf = (...codes: readonly string[]) =>
    db.asOwner<{ code: string; owner: string }>(
      `select code, owner_id as owner from links where code = any($1) order by code`,
      [codes],
    )
  const DONE = { code: 0, out: '', err: '' }

  it('deletes a user without links, by id or address in any case', async () => {
    const id = await add('ada@example.com')
    expect(await remove('ADA@example.com')).to.deep.equal(DONE)
    expect(await remove(id)).to.deep.equal({ code: 1, out: '', err: `linkgate: there is no user ${id}\n` })
    expect(await remove(await add('ada@example.com'))).to.deep.equal(DONE)
  })

  it('says how many links a user has, deletes them, or gives them away', async () => {
    const [ada, bob] = [await add('ada@example.com'), await add('bob@example.com')]
    const [kept, gone] = [await addLink(db, { owner: ada }), await addLink(db, { owner: bob })]
    const refused = await remove('ada@example.com')
    expect(refused).to.include({ code: 1, out: '' })
    expect(refused.err).to.include('1 link').and.to.include('--links delete')
    expect(await remove('ada@example.com', '--links', 'transfer:bob@example.com')).to.deep.equal(DONE)
    expect(await ownersOf(kept)).to.deep.equal([{ code: kept, owner: bob }])
    expect(await remove('bob@example.com', '--links', 'delete')).to.deep.equal(DONE)
    expect(await ownersOf(kept, gone)).to.deep.equal([])
  })

  it('takes deleted links as well', async () => {
    const [ada, bob] = [await add('ada@example.com'), await add('bob@example.com')]
    for (const [owner, code] of [
      [ada, 'trash-1'],
      [bob, 'trash-2'],
    ])
      await db.asOwner(
        `insert into deleted_links (id, code, target, owner_id, created_at, updated_at, version, tags, status, active,
           used, forward_query)
         values (-$1::bigint, $2, 'https://example.com/', $1, now(), now(), 1, '{}', 302, true, 0, false)`,
        [owner, code],
      )
    const trash = () => db.asOwner('select code, owner_id from deleted_links order by code')
    expect(await remove(ada, '--links', `transfer:${bob}`)).to.deep.equal(DONE)
    expect(await trash()).to.deep.equal([
      { code: 'trash-1', owner_id: bob },
      { code: 'trash-2', owner_id: bob },
    ])
    expect(await remove(bob)).to.deep.equal(DONE)
    expect(await trash()).to.deep.equal([])
  })

  it('takes more links than a request may, with an entry for each', async () => {
    const owner = await add('ada@example.com')
    await addManyLinks(db, { owner, count: 20_001, prefix: 'many-' })
    expect(await remove(owner, '--links', 'delete')).to.deep.equal(DONE)
    const [{ links, entries } = {}] = await db.asOwner(
      `select (select count(*)::int from links where code like 'many-%') as links,
              (select count(*)::int from decisions where kind = 'link' and resource_code like 'many-%'
                 and resource_id is not null and change ->> 'what' = 'deleted') as entries`,
    )
    expect({ links, entries }).to.deep.equal({ links: 0, entries: 20_001 })
  })

  it('is in the log as done by the command line, and the log stays intact', async () => {
    const [ada, bob] = [await add('ada@example.com'), await add('bob@example.com')]
    const code = await addLink(db, { owner: ada })
    expect(await remove(ada, '--links', `transfer:${bob}`)).to.deep.equal(DONE)
    const by = `${db.service.user} linkgate command line, ${userInfo().username}`
    const entries = await db.asOwner(
      `select kind, subject_id, resource_code, change from decisions
        where (resource_type = 'user' and resource_code = $1 and change ->> 'what' = 'deleted')
           or (resource_type = 'link' and resource_code = $2 and kind = 'link') order by id`,
      [ada, code],
    )
    expect(entries).to.deep.equal([
      { kind: 'link', subject_id: null, resource_code: code, change: { what: 'changed', owner: [ada, bob], by } },
      { kind: 'user', subject_id: null, resource_code: ada, change: { what: 'deleted', role: ['editor', null], by } },
    ])
    expect((await run('audit', 'list', '--link', code)).out)
      .to.include('owner=')
      .and.to.include('command line')
    const verified = await run('audit', 'verify')
    expect(verified.out).to.match(/^intact/)
    expect(verified.code).to.equal(0)
    expect(await remove(bob, '--links', 'delete')).to.deep.equal(DONE)
  })

  it('never deletes the last active admin, nor their links', async () => {
    const root = await add('root@example.com', 'admin')
    const few = await addLink(db, { owner: root })
    const refused = await remove(root, '--links', 'delete')
    expect(refused).to.include({ code: 1, out: '' })
    expect(refused.err).to.include('last active admin')
    await addManyLinks(db, { owner: root, count: 10_001, prefix: 'admin-' })
    expect((await remove(root, '--links', 'delete')).err).to.include('last active admin')
    expect(await ownersOf(few, 'admin-1', 'admin-10001')).to.have.length(3)
    expect(await db.asOwner('select suspended_at from users where id = $1', [root])).to.deep.equal([
      { suspended_at: null },
    ])
  })

  it('of two who inherit from each other at once is no deadlock', async () => {
    const [ada, bob] = [await add('ada@example.com'), await add('bob@example.com')]
    const code = await addLink(db, { owner: ada })
    await addLink(db, { owner: bob })
    const accounts = createAccounts(pool)
    const client = new Client(db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query('select from links where code = $1 for update', [code])
      const removing = [accounts.remove(ada, { to: bob })]
      await lockWaiters(db.asOwner, 1)
      removing.push(accounts.remove(bob, { to: ada }))
      await lockWaiters(db.asOwner, 2)
      await client.query('commit')
      const [first, second] = await Promise.allSettled(removing)
      expect(first?.status).to.equal('fulfilled')
      expect(second).to.have.property('reason').that.includes({ code: 'validation_failed' })
    } finally {
      await client.end()
    }
    expect(await remove(bob, '--links', 'delete')).to.deep.equal(DONE)
  })

  it('says so when the new owner is deleted meanwhile', async () => {
    const [ada, gone] = [await add('ada@example.com'), await add('gone@example.com')]
    await addLink(db, { owner: ada })
    expect(await remove(gone)).to.deep.equal(DONE)
    const [removed] = await Promise.allSettled([createAccounts(pool).remove(ada, { to: gone })])
    expect(removed).to.have.property('reason').that.includes({ code: 'validation_failed' })
    expect(await remove(ada, '--links', 'delete')).to.deep.equal(DONE)
  })

  it('refuses bad usage with exit code 2, and a new owner who is nobody with 1', async () => {
    const id = await add('eve@example.com')
    for (const links of ['', 'keep', 'transfer', 'transfer:', `transfer:${id}`, 'transfer:EVE@example.com'])
      expect((await remove(id, '--links', links)).code, links).to.equal(2)
    expect(await remove(id, '--links', 'transfer:nobody@example.com')).to.include({ code: 1 })
    expect((await run('user', 'role', id, 'viewer')).code).to.equal(0)
  })
})
