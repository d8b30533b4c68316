import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { installDefaultPolicy } from '../../src/policy/installation.js'
import { loadSnapshot } from '../../src/policy/replacement.js'
import { listRevisions } from '../../src/policy/history.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { shippedRules } from '../support/policy.js'

const INSERT = `insert into casbin (ptype, rule) values ('g', '["editor", "admin"]')`
const DELETE = `delete from casbin where rule ->> 0 = '400'`
const values = (number: number, added: unknown, removed: unknown = []) =>
  `(${number}, 'admin@example.com', 'as agreed', '${JSON.stringify(added)}', '${JSON.stringify(removed)}', '[]', '')`
const revisions = (...rows: readonly string[]) =>
  `insert into policy_revisions (revision, actor, reason, added, removed, decisions_changed, model_sha256)
   values ${rows.join(', ')}`
const revision = (number: number, added: unknown, removed: unknown = []) => revisions(values(number, added, removed))
const HEAD = 'update policy_head set revision = 2'
const ROW = { ptype: 'g', role: 'editor', inherits: 'admin' }

describe("the policy's rows, changed by whoever has the service's login role", () => {
  let db: TestDatabase
  let database: Database
  beforeEach(async () => {
    db = await testDatabase()
    database = openPool({ connection: db.service, size: 2, deadlineMs: 10_000 })
    await installDefaultPolicy(database, await shippedRules(), PACKAGE_ROOT)
  })
  afterEach(() => database.close())

  /** What the thief sends in one transaction, as the editor of policies. */
  const steal = async (...statements: readonly string[]): Promise<string> => {
    const client = new Client(db.service)
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`set local role policy_editor`)
      await client.query(`select set_config('app.policy_edit', 'on', true), set_config('app.decision', $1, true)`, [
        JSON.stringify({ request_id: 'forged', subject_id: '1', subject_role: 'admin' }),
      ])
      for (const text of statements) await client.query(text)
      await client.query('commit')
      return 'committed'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await client.end()
    }
  }
  const history = async () =>
    (await listRevisions(database, { limit: 10 })).data.map(({ revision: number, actor, added, removed }) => ({
      number,
      by: actor.name,
      added,
      removed: removed.length,
    }))
  const head = async () => (await db.asOwner<{ revision: string }>('select revision from policy_head'))[0]?.revision
  const entries = () =>
    db.asOwner<{ code: string }>(
      `select resource_code as code, request_id, subject_id, change ->> 'by' as by from decisions
        where kind = 'policy' order by id`,
    )
  const isWhole = async () => {
    expect(await db.asOwner('select from policy_row_changes')).to.have.length(0)
    expect(await db.asOwner('select from policy_edits_open')).to.have.length(0)
    // nothing is left that the history does not account for
    expect(await db.asOwner('select record_unexplained_policy_rows() as found')).to.deep.equal([{ found: false }])
  }

  it('are a revision by hand, of the database’s user, whatever the session sets', async () => {
    for (const setting of [[], ['set constraints all immediate'], ['set constraints settled immediate']]) {
      const before = Number(await head())
      expect(await steal(...setting, INSERT)).to.equal('committed')
      expect(
        await steal(...setting, DELETE.replace("'400'", "'editor' and ptype = 'g' and rule ->> 1 = 'admin'")),
      ).to.equal('committed')
      const [removed, added] = await history()
      expect(added).to.deep.equal({ number: before + 1, by: db.service.user, added: [ROW], removed: 0 })
      expect(removed).to.deep.include({ number: before + 2, by: db.service.user, removed: 1 })
      expect(await head()).to.equal(String(before + 2))
    }
    for (const entry of (await entries()).slice(1)) {
      expect(entry).to.include({ request_id: '', subject_id: null })
      expect(entry).to.have.property('by').that.contains(db.service.user)
    }
    await isWhole()
  })

  it('under savepoints, and back and forth, are what the commit leaves', async () => {
    expect(await steal('savepoint a', INSERT, 'rollback to a', DELETE)).to.equal('committed')
    expect((await history())[0]).to.deep.include({ number: 2, added: [], removed: 1 })
    expect(await steal(INSERT, `delete from casbin where ptype = 'g' and rule ->> 1 = 'admin'`)).to.equal('committed')
    expect(await head()).to.equal('2')
    await isWhole()
  })

  const lies: readonly (readonly [what: string, statements: readonly string[]])[] = [
    ['says less', [INSERT, DELETE, revision(2, [ROW]), HEAD]],
    ['says nothing', [INSERT, revision(2, []), HEAD]],
    ['says more', [INSERT, revision(2, [ROW, { ptype: 'p2', role: 'clerk', action: 'doc:sign' }]), HEAD]],
    ['says what was not done', [revision(2, [ROW]), HEAD]],
    ['says that a row went which never was', [revision(2, [], [ROW]), HEAD]],
    ['says the same twice', [INSERT, revision(2, [ROW, ROW]), HEAD]],
    ['says both', [revision(2, [ROW], [ROW]), HEAD]],
    ['is followed by one that takes it back', [revision(2, [], [ROW]), revision(3, [ROW]), HEAD]],
    // the newest first: alone, that one would follow the one that comes with it
    ['comes with another in one statement', [INSERT, revisions(values(3, [ROW]), values(2, []))]],
    ['is told once more', ['set constraints all immediate', INSERT, revision(3, [ROW])]],
    ['leaves numbers out', [INSERT, revision(9, [ROW]), HEAD]],
    ['is none', [INSERT, revision(2, 'nothing')]],
  ]
  for (const [what, statements] of lies) {
    it(`a revision that ${what} is refused with its rows`, async () => {
      expect(await steal(...statements)).to.match(/policy revision|cannot (?:extract elements|get array length)/)
      expect(await head()).to.equal('1')
      expect(await history()).to.have.length(1)
      await isWhole()
    })
  }

  it('one that says what it does is one, and the head is always the newest', async () => {
    expect(await steal(INSERT, revision(2, [ROW]))).to.equal('committed')
    expect(await head()).to.equal('2')
    for (const wrong of [1, 7]) {
      expect(await steal(`update policy_head set revision = ${wrong}`)).to.equal('committed')
      expect(await head()).to.equal('2')
    }
    await isWhole()
    const loaded = await loadSnapshot(database, await shippedRules())(null).catch((error: unknown) => String(error))
    expect(loaded).to.include('only-admin-updates-others')
  })

  it('nobody but the owner reaches what the commit compares', async () => {
    for (const text of [
      'delete from policy_row_changes',
      'delete from policy_edits_open',
      'insert into policy_edits_open (settling) values (true)',
      'truncate policy_edits_open',
      'alter table casbin disable trigger user',
      `set session_replication_role = 'replica'`,
      'truncate casbin',
    ])
      expect(await steal(INSERT, text), text).to.match(/permission denied|must be owner/)
    expect(await head()).to.equal('1')
  })

  it('rows that changed while the triggers were off become a revision when they are found', async () => {
    await db.asOwner('alter table casbin disable trigger user')
    await db.asOwner(INSERT)
    await db.asOwner(DELETE)
    await db.asOwner('alter table casbin enable trigger user')
    expect(await db.asOwner('select record_unexplained_policy_rows() as found')).to.deep.equal([{ found: true }])
    expect((await history())[0]).to.deep.equal({ number: 2, by: 'unknown', added: [ROW], removed: 1 })
    await isWhole()
  })
})
