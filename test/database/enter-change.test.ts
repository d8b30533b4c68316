import { expect } from 'chai'
import { Client } from 'pg'

import { sqlState } from '../../src/database/errors.js'
import { openPool } from '../../src/database/pool.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { addLink, addUserWithId, BY_HAND, freshCode } from '../support/records.js'

const SIGN_IN = '00000000-0000-4000-8000-000000000001'

/** What enter_change is told, as far as a test says otherwise. */
interface Entering {
  readonly isolation?: string
  readonly revision?: number
  readonly role?: string
  readonly signIn?: string
  readonly issuer?: string
  readonly decision?: Readonly<Record<string, unknown>>
}

describe('enter_change', () => {
  let db: TestDatabase
  let revision: number

  before(async () => {
    db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    const [head] = await db.asOwner<{ revision: string }>('select revision from policy_head')
    revision = Number(head?.revision)
  })

  /** Sends one statement as the service does, in one flush, and answers how it ended: `done`, or the SQLSTATE. */
  const change = async (text: string, values: readonly string[], entering: Entering = {}): Promise<unknown> => {
    const { isolation = 'read committed', role = 'editor', signIn = null, issuer = null, decision = {} } = entering
    const pool = openPool({
      connection: { ...db.service, options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}` },
      size: 1,
      deadlineMs: 5_000,
    })
    const caller = { id: '1', role, sign_in: signIn, issuer, subject: issuer && 'subject' }
    const record = JSON.stringify({ ...JSON.parse(BY_HAND), ...decision })
    try {
      await pool.flush([
        {
          text: 'select enter_change($1, $2, $3, $4, $5, null)',
          values: ['links_own', '1', entering.revision ?? revision, record, JSON.stringify(caller)],
        },
        { text, values },
      ])
      return 'done'
    } catch (error) {
      // the pool gives some of them a name of their own
      return sqlState(error) ?? sqlState(Object(error).cause)
    } finally {
      await pool.close()
    }
  }
  const makeLink = async (code: string, entering?: Entering) =>
    change(`insert into links (code, target, owner_id) values ($1, 'https://example.com/', 1)`, [code], entering)
  const isStored = async (code: string) => (await db.asOwner('select from links where code = $1', [code])).length === 1
  const refused = async (sqlstate: string, entering: Entering) => {
    const code = freshCode()
    expect(await makeLink(code, entering)).to.equal(sqlstate)
    expect(await isStored(code)).to.equal(false)
  }

  it('lets a change in that was decided under the revision in force, for a caller who still stands', async () => {
    const code = freshCode()
    expect(await makeLink(code)).to.equal('done')
    expect(await isStored(code)).to.equal(true)
  })

  // the first two may not see what was committed while they waited for the lock; nobody uses the last
  for (const isolation of ['repeatable read', 'serializable', 'read uncommitted']) {
    it(`refuses a change that is ${isolation}, and nothing is written`, () => refused('LG008', { isolation }))
  }

  it('refuses a change that was decided under another revision', async () => {
    await refused('LG001', { revision: revision + 1 })
    await refused('LG001', { revision: revision - 1 })
  })

  it('refuses the change of a caller who has another role now', () => refused('LG007', { role: 'admin' }))

  it('refuses the change of a caller who is suspended', async () => {
    await db.asOwner('update users set suspended_at = now() where id = 1')
    try {
      await refused('LG007', {})
    } finally {
      await db.asOwner('update users set suspended_at = null where id = 1')
    }
  })

  it('refuses the change of a caller whose sign-in is over', async () => {
    const revoke = (at: string) =>
      db.asOwner(
        `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at, revoked_at)
         values ($1, 1, sha256(random()::text::bytea), '', now() + interval '1 hour', ${at})`,
        [SIGN_IN],
      )
    await revoke('null')
    expect(await makeLink(freshCode(), { signIn: SIGN_IN })).to.equal('done')
    await revoke('now()')
    await refused('LG007', { signIn: SIGN_IN })
  })

  it('refuses the change of a caller who is no longer the subject of their token', async () => {
    const issuer = 'https://issuer.example'
    await refused('LG007', { issuer })
    await db.asOwner(`insert into external_identities (issuer, subject, user_id) values ($1, 'subject', 1)`, [issuer])
    expect(await makeLink(freshCode(), { issuer })).to.equal('done')
    await addUserWithId(db, '2', 'editor')
    await db.asOwner('update external_identities set user_id = 2 where issuer = $1', [issuer])
    await refused('LG007', { issuer })
  })

  it('holds up whatever takes rights of its caller, by hand too, until it ends', async () => {
    const issuer = 'https://held.example'
    await addUserWithId(db, '3', 'editor')
    await db.asOwner(`insert into external_identities (issuer, subject, user_id) values ($1, 'held', 1)`, [issuer])
    await db.asOwner(
      `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
       values ($1, 1, sha256('held'), '', now() + interval '1 hour')`,
      ['00000000-0000-4000-8000-000000000002'],
    )
    await db.asOwner(
      `with decided as (select set_config('app.decision', $1, false))
       insert into personal_tokens (user_id, name, token_hash, scopes, expires_at)
       select 1, 'held', sha256('held'), '{}', now() + interval '1 hour' from decided`,
      [BY_HAND],
    )
    const [changing, taking] = [new Client(db.owner), new Client(db.owner)]
    await Promise.all([changing.connect(), taking.connect()])
    try {
      await changing.query('begin')
      await changing.query('select require_revision($1), lock_rights(1, null), lock_rights(3, null)', [revision])
      await taking.query(`set lock_timeout = '20ms'`)
      await taking.query(`select set_config('app.decision', $1, false)`, [BY_HAND])
      for (const taken of [
        'update users set suspended_at = now() where id = 1',
        `update users set role = 'viewer' where id = 1`,
        // whoever has tokens holds up their deletion by these
        'delete from users where id = 3',
        `update refresh_tokens set revoked_at = now() where token_hash = sha256('held')`,
        `delete from refresh_tokens where token_hash = sha256('held')`,
        `update personal_tokens set revoked_at = now() where token_hash = sha256('held')`,
        `delete from personal_tokens where token_hash = sha256('held')`,
        `update external_identities set subject = 'other' where subject = 'held'`,
        `delete from external_identities where subject = 'held'`,
        // rows of the policy give and take rights as well
        `insert into casbin (ptype, rule) values ('p2', '["clerk", "link:read"]')`,
      ])
        expect(await taking.query(taken).catch((error: unknown) => sqlState(error)), taken).to.equal('55P03')
      await changing.query('commit')
      await taking.query('delete from users where id = 1')
      await addUserWithId(db, '1', 'editor')
    } finally {
      await Promise.all([changing.end(), taking.end()])
    }
  })

  it('holds up what takes rights of either user, in whichever order their locks are taken', async () => {
    await Promise.all(['4', '5'].map((id) => addUserWithId(db, id, 'editor')))
    const [changing, taking] = [new Client(db.owner), new Client(db.owner)]
    await Promise.all([changing.connect(), taking.connect()])
    try {
      await taking.query(`set lock_timeout = '20ms'`)
      for (const [acting, losing] of [
        [4, 5],
        [5, 4],
      ]) {
        await changing.query('begin')
        await changing.query('select lock_rights($1, $2)', [acting, losing])
        for (const id of [4, 5]) {
          const suspension = taking.query('update users set suspended_at = now() where id = $1', [id])
          expect(await suspension.catch((error: unknown) => sqlState(error)), `${acting} ${id}`).to.equal('55P03')
        }
        await changing.query('rollback')
      }
    } finally {
      await Promise.all([changing.end(), taking.end()])
    }
  })

  it("records what the decision says, and nothing that is the log's own to say", async () => {
    const code = await addLink(db, { owner: '1' })
    const forged = {
      request_id: 'forged',
      id: 1,
      seq: 1,
      writer: 99,
      time: '2000-01-01',
      kind: 'policy',
      resource_type: 'user',
      resource_code: 'another',
      network: '192.0.2.0/24',
      change: { what: 'forged' },
      hash: '\\x00',
      previous: '\\x00',
    }
    const text = `update links set target = 'https://example.com/changed' where code = $1`
    expect(await change(text, [code], { decision: forged })).to.equal('done')
    expect(
      await db.asOwner(`
        select kind, resource_type, resource_code as code, network, change, rule, id > 1 as later,
               time > now() - interval '1 minute' as now, writer < 99 as chained, octet_length(hash) as hash
          from decisions where request_id = 'forged'`),
    ).to.deep.equal([
      {
        kind: 'decision',
        resource_type: 'link',
        code,
        network: null,
        change: null,
        rule: 'R3',
        later: true,
        now: true,
        chained: true,
        hash: 32,
      },
    ])
  })

  it('notes the code of every link that it changed, to be announced; of a link that is renamed, both', async () => {
    const noted = async () =>
      (await db.asOwner<{ code: string }>('delete from changed_links returning code')).map(({ code }) => code)
    const [code, renamed] = [freshCode(), freshCode()]
    await noted()
    await makeLink(code)
    expect(await noted()).to.deep.equal([code])
    expect(await change('update links set version = version + 1 where code = $1', [code])).to.equal('done')
    expect(await noted()).to.deep.equal([code])
    expect(await change('update links set code = $2 where code = $1', [code, renamed])).to.equal('done')
    expect(await noted()).to.have.members([code, renamed])
    expect(await change('delete from links where code = $1', [renamed])).to.equal('done')
    expect(await noted()).to.deep.equal([renamed])
  })
})

describe('a change without enter_change', () => {
  it('fails: there is no decision to record', async () => {
    const db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    const pool = openPool({ connection: db.service, size: 1, deadlineMs: 5_000 })
    try {
      const made = pool.flush([
        { text: `select enter('links_own', 1)` },
        { text: `insert into links (code, target, owner_id) values ('undecided', 'https://example.com/', 1)` },
      ])
      expect(
        await made.then(
          () => 'done',
          (error: unknown) => sqlState(error),
        ),
      ).to.equal('LG002')
    } finally {
      await pool.close()
    }
  })
})
