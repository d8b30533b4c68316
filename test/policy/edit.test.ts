import { expect } from 'chai'

import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { PolicyReplaced } from '../../src/database/errors.js'
import { Refusal } from '../../src/domain/refusal.js'
import { commitEdit, type EditOrigin } from '../../src/policy/commit-edit.js'
import { editBetween, parseEdit, planEdit, type EditMaker } from '../../src/policy/edit.js'
import { findRevision, listRevisions, storedRevisionOf } from '../../src/policy/history.js'
import { loadSnapshot, planRestore } from '../../src/policy/replacement.js'
import { rowText } from '../../src/policy/parse-row.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { csvRows, rowsOf, shippedRules } from '../support/policy.js'

const ORIGIN: EditOrigin = {
  actor: { id: '1', name: 'admin@localhost' },
  reason: 'a test',
  decision: {
    request_id: 'r-1',
    revision: 1,
    subject_role: 'admin',
    token_id: null,
    rule: 'R3',
    row_priority: 300,
  },
}
const ROW = csvRows('p, 505, X, editor, link:read, any, allow')

const asStored = (base: Snapshot) => ({ ...storedRevisionOf(base), lastGood: base, fault: null })

describe('commitEdit', () => {
  let db: TestDatabase
  let database: Database
  let rules: PolicyRules
  before(async () => {
    db = await testDatabase()
    database = openPool({ connection: db.service, size: 4, deadlineMs: 10_000 })
    rules = await shippedRules()
    await commitEdit(
      database,
      await planEdit(
        await buildSnapshot(0, rules.model, []),
        { add: await rowsOf('default.csv'), remove: [] },
        rules,
        'unbounded',
      ),
      ORIGIN,
    )
  })
  after(() => database.close())

  const loaded = async (): Promise<Snapshot> => {
    const snapshot = await loadSnapshot(database, rules)(null)
    if (snapshot === null) throw new Error('there is a policy')
    return snapshot
  }
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) =>
        error instanceof PolicyReplaced ? 'replaced' : error instanceof Refusal ? error.code : String(error),
    )

  /** Everything that an edit writes, as the database holds it. */
  const written = async () => {
    const [all] = await db.asOwner<Record<string, unknown>>(`select (select revision from policy_head) as head,
      (select coalesce(max(revision), 0) from policy_revisions) as newest,
      (select count(*) from policy_revisions) as revisions,
      (select count(*) from casbin) as rows, (select count(*) from decisions where kind = 'decision') as decisions`)
    return all
  }

  it('writes rows, revision and decision record together', async () => {
    const base = await loaded()
    const before = await written()
    const plan = await planEdit(base, { add: ROW, remove: [] }, rules, 'unbounded')
    await commitEdit(database, plan, ORIGIN)
    const after = await loaded()
    expect(after.revision).to.equal(base.revision + 1)
    expect(after.rows.map(rowText).sort()).to.deep.equal([...base.rows, ...ROW].map(rowText).sort())
    expect(await findRevision(database, after.revision)).to.deep.include({
      actor: { id: '1', name: 'admin@localhost' },
      reason: 'a test',
      added: ROW,
      removed: [],
      model_sha256: rules.model.sha256,
      decisions_changed: plan.changes,
    })
    expect(Number((await written())?.['decisions'])).to.equal(Number(before?.['decisions']) + 1)
    const restore = await planRestore(database, asStored(after), base.revision, rules, 'unbounded')
    if (restore === null) throw new Error('there was one')
    await commitEdit(database, restore, ORIGIN)
    expect((await loaded()).rows.map(rowText).sort()).to.deep.equal(base.rows.map(rowText).sort())
    expect(await planRestore(database, asStored(await loaded()), 99_999, rules, 'unbounded')).to.equal(null)
    expect((await listRevisions(database, { limit: 2 })).next_cursor).to.equal(String(base.revision + 1))
  })

  it('refuses a plan that was made for another revision', async () => {
    const base = await loaded()
    const [one, two] = await Promise.all([
      planEdit(base, { add: ROW, remove: [] }, rules, 'unbounded'),
      planEdit(base, { add: ROW, remove: [] }, rules, 'unbounded'),
    ])
    await commitEdit(database, one, ORIGIN)
    expect(await codeOf(commitEdit(database, two, ORIGIN))).to.equal('replaced')
    const newest = await loaded()
    await commitEdit(database, await planEdit(newest, { add: [], remove: ROW }, rules, 'unbounded'), ORIGIN)
  })

  it('commits exactly one of several concurrent edits', async () => {
    for (let round = 0; round < 5; round += 1) {
      const base = await loaded()
      const plans = await Promise.all(
        [601, 602, 603, 604].map((priority) =>
          planEdit(
            base,
            { add: csvRows(`p, ${priority}, X${round}, editor, link:read, any, allow`), remove: [] },
            rules,
            'unbounded',
          ),
        ),
      )
      const codes = await Promise.all(plans.map((plan) => codeOf(commitEdit(database, plan, ORIGIN))))
      expect(codes.sort()).to.deep.equal(['done', 'replaced', 'replaced', 'replaced'])
      const now = await loaded()
      expect(now.revision).to.equal(base.revision + 1)
      expect(now.rows).to.have.length(base.rows.length + 1)
      await commitEdit(database, await planEdit(now, editBetween(now.rows, base.rows), rules, 'unbounded'), ORIGIN)
    }
  })

  /** The database with the connection killed right before, or right after, the n-th statement of a transaction. */
  const killedAt = (n: number, moment: 'before' | 'after'): Database => ({
    ...database,
    transaction: (work) =>
      database.transaction(async (client) => {
        const {
          rows: [backend],
        } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        const kill = () => db.asOwner('select pg_terminate_backend($1)', [backend?.pid])
        let sent = 0
        let last: Promise<unknown> = Promise.resolve()
        // one after another, as the server takes them: none overtakes the one at which the connection dies
        const query = (text: string, values?: unknown[]) => {
          const answer = last.then(async () => {
            const nth = ++sent
            if (nth === n && moment === 'before') await kill()
            const result = await client.query(text, values)
            if (nth === n && moment === 'after') await kill()
            return result
          })
          last = answer.catch(() => undefined)
          return answer
        }
        return work(
          new Proxy(client, {
            get: (target, key): unknown => (key === 'query' ? query : Reflect.get(target, key, target)),
          }),
        )
      }),
  })

  for (const moment of ['before', 'after'] as const) {
    it(`leaves nothing behind where the connection dies ${moment} any statement`, async () => {
      const base = await loaded()
      const plan = await planEdit(
        base,
        {
          add: [...ROW, ...csvRows('p2, viewer, link:update')],
          remove: csvRows('p, 720, R7, user, profile:update, own, allow'),
        },
        rules,
        'unbounded',
      )
      const before = await written()
      let n = 1
      for (; (await codeOf(commitEdit(killedAt(n, moment), plan, ORIGIN))) !== 'done'; n += 1) {
        expect(await written(), `statement ${n}`).to.deep.equal(before)
        expect((await loaded()).revision).to.equal(base.revision)
      }
      expect(n, 'statements of the edit, each of which died once').to.be.greaterThan(9)
      const now = await loaded()
      expect(now.rows).to.have.length(base.rows.length + 1)
      await commitEdit(database, await planEdit(now, editBetween(now.rows, base.rows), rules, 'unbounded'), ORIGIN)
    })
  }

  it('keeps nothing where the very last statement fails', async () => {
    const plan = await planEdit(await loaded(), { add: ROW, remove: [] }, rules, 'unbounded')
    const before = await written()
    const failing: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (client) => {
          await work(client)
          throw new Error('out of memory')
        }),
    }
    expect(await codeOf(commitEdit(failing, plan, ORIGIN))).to.contain('out of memory')
    expect(await written()).to.deep.equal(before)
  })
})

describe('parseEdit', () => {
  it('names the list, the row and the field of every fault', () => {
    try {
      parseEdit(
        [
          { ptype: 'p2', role: 'editor', action: 'link:read' },
          { ptype: 'p2', role: 'Editor', action: 'link:read' },
        ],
        [{ ptype: 'g', role: 'editor', inherits: 'like:%' }, 'x'],
      )
      expect.fail('was parsed')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      expect(error.code).to.equal('validation_failed')
      expect(error.errors?.map(({ field }) => field)).to.deep.equal(['add.1.role', 'remove.0.inherits', 'remove.1'])
    }
  })
})

describe('planEdit', () => {
  let rules: PolicyRules
  let base: Snapshot
  before(async () => {
    rules = await shippedRules()
    base = await buildSnapshot(7, rules.model, await rowsOf('default.csv'))
  })
  const faults = async (add: string, remove = '', maker: EditMaker = 'unbounded') =>
    planEdit(base, { add: csvRows(add), remove: csvRows(remove) }, rules, maker).then(
      () => [],
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        return error.errors?.map(({ field, message }) => `${field} ${message}`) ?? [error.code]
      },
    )

  it('refuses a priority that another row has, unless that row goes', async () => {
    expect(await faults('p, 300, X, editor, link:read, any, allow')).to.deep.equal([
      'add.0.priority 300 is the priority of another row; priorities are unique',
    ])
    expect(
      await faults('p, 400, X, user, link:create, any, allow', 'p, 400, R4, user, link:create, any, allow'),
    ).to.deep.equal([])
  })

  it('refuses to remove a row that is not there, one with another effect too', async () => {
    expect(await faults('', 'p, 400, R4, user, link:create, any, deny')).to.deep.equal([
      'remove.0 is not a row of the policy',
    ])
  })

  it('refuses a row in both lists', async () => {
    expect(await faults('p2, viewer, link:read', 'p2, viewer, link:read')).to.deep.equal([
      'add.0 is also listed for removal',
    ])
  })

  it('binds everybody by their own rights, but who says that nobody is to be bound', async () => {
    const row = 'p, 505, X, viewer, user:read, any, allow'
    const admin = { role: 'admin' }
    for (const maker of [null, { role: 'editor' }, { ...admin, suspended: true }])
      expect(await faults(row, '', maker), JSON.stringify(maker)).to.deep.equal(['beyond_own_rights'])
    for (const maker of [admin, 'unbounded'] as const)
      expect(await faults(row, '', maker), JSON.stringify(maker)).to.deep.equal([])
  })

  it('plans nothing for rows that are there already', async () => {
    const plan = await planEdit(base, { add: csvRows('p2, viewer, link:read'), remove: [] }, rules, 'unbounded')
    expect([plan.add, plan.remove, plan.changes]).to.deep.equal([[], [], []])
  })

  it('refuses inheritance over more than ten levels, also where a removal causes it', async () => {
    const chain = Array.from({ length: 11 }, (_, i) => `g, role${i}, role${i + 1}`).join('\n')
    expect((await faults(chain))[0]).to.contain('role0 inherits over more than 10 levels')
    const deep = await buildSnapshot(8, rules.model, [...base.rows, ...csvRows(`${chain}\ng, role0, role2`)])
    const refused = await planEdit(deep, { add: [], remove: csvRows('g, role0, role2') }, rules, 'unbounded').catch(
      (error: unknown) => error,
    )
    expect(refused).to.be.instanceOf(Refusal).with.property('code', 'validation_failed')
  })

  it('plans a hundred thousand rows in one edit, and is exact about their decisions', async () => {
    const add = Array.from({ length: 100_000 }, (_, i) => ({
      ptype: 'p' as const,
      priority: 1_000_000 + i,
      rule: 'BULK',
      role: `team${i % 1_000}`,
      action: `doc:act${i % 500}` as const,
      reach: 'any' as const,
      effect: i % 3 === 0 ? ('deny' as const) : ('allow' as const),
    }))
    const plan = await planEdit(base, { add, remove: [] }, rules, 'unbounded')
    // the shipped R6 decides before all of them
    expect(plan.changes).to.deep.equal([])
    const early = await planEdit(
      base,
      { add: add.map((row, i) => ({ ...row, priority: 600_000 + i })), remove: [] },
      rules,
      'unbounded',
    )
    expect(early.changes.length).to.be.greaterThan(0)
    const first = early.changes.find(({ role, action }) => role === 'team1' && action === 'doc:act1')
    expect(first?.after).to.include({ effect: 'allow', rule: 'BULK' })
  })
})
