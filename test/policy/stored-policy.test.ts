import { expect } from 'chai'

import { PolicyReplaced } from '../../src/database/errors.js'
import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { createCurrentPolicy } from '../../src/policy/current.js'
import { commitEdit } from '../../src/policy/commit-edit.js'
import { findRevision, listRevisions, rowsOfRevision } from '../../src/policy/history.js'
import { installDefaultPolicy } from '../../src/policy/installation.js'
import { rowText } from '../../src/policy/parse-row.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { loadSnapshot, planReplacement, readStoredPolicy } from '../../src/policy/replacement.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { rowsOf, shippedRules } from '../support/policy.js'

const ORIGIN = { actor: { id: null, name: 'a test' }, reason: 'a way out', decision: null }

describe('rows that somebody changes in the database, beside the service', () => {
  let db: TestDatabase
  let database: Database
  let rules: PolicyRules
  before(async () => {
    rules = await shippedRules()
  })
  beforeEach(async () => {
    db = await testDatabase()
    database = openPool({ connection: db.service, size: 2, deadlineMs: 10_000 })
    await installDefaultPolicy(database, rules, PACKAGE_ROOT)
  })
  afterEach(() => database.close())

  const loaded = async () => {
    const policy = createCurrentPolicy(loadSnapshot(database, rules))
    await policy.refresh()
    return policy
  }
  const insert = (ptype: string, rule: readonly unknown[]) =>
    db.asOwner('insert into casbin (ptype, rule) values ($1, $2::jsonb)', [ptype, JSON.stringify(rule)])
  const keys = (rows: Parameters<typeof rowText>[0][]) => rows.map(rowText).sort()

  it('are a revision like any other, with its author and its rows', async () => {
    const policy = await loaded()
    await insert('p', ['505', 'HAND', 'editor', 'link:read', 'any', 'deny'])
    await db.asOwner(`delete from casbin where rule ->> 0 = '505'`)
    await insert('p2', ['viewer', 'doc:read'])
    await db.asOwner(`update casbin set rule = '["viewer", "doc:sign"]' where rule ->> 1 = 'doc:read'`)
    expect((await policy.refresh()).revision).to.equal(5)
    expect(policy.current().mayCall('viewer', 'doc:sign')).to.equal(true)
    const { data } = await listRevisions(database, { limit: 10 })
    expect(data.map(({ added, removed }) => [added.length, removed.length])).to.deep.equal([
      [1, 1],
      [1, 0],
      [0, 1],
      [1, 0],
      [25, 0],
    ])
    expect(data[0]?.reason).to.contain('beside the service')
    expect(data[3]?.added).to.deep.equal([
      { ptype: 'p', priority: 505, rule: 'HAND', role: 'editor', action: 'link:read', reach: 'any', effect: 'deny' },
    ])
  })

  it('make no revision where they change nothing', async () => {
    await db.asOwner(`delete from casbin where rule ->> 0 = '12345'`)
    expect((await loaded()).status().revision).to.equal(1)
  })

  const faults: readonly (readonly [what: string, breakIt: () => Promise<unknown>, says: string])[] = [
    [
      'a row without effect, which Casbin would read as allow',
      () => insert('p', ['505', 'X', 'editor', 'link:update', 'any']),
      'does not parse',
    ],
    [
      'a value with a comma, which the adapter would read as two',
      () => insert('p', ['505', 'X', 'editor', 'link:update', 'any', 'deny, allow']),
      'does not parse',
    ],
    ['a pattern', () => insert('p2', ['regex:.*', 'link:read']), 'does not parse'],
    ['a row that is no list of texts', () => insert('p2', [{ role: 'editor' }, 7]), 'must be a list of texts'],
    [
      'a row that breaks an invariant',
      () => insert('p', ['250', 'X', 'user', 'link:delete', 'any', 'allow']),
      'only-admin-deletes-others',
    ],
    [
      'an admin who is locked out',
      () => db.asOwner(`delete from casbin where rule ->> 0 = '300'`),
      'admin-reads-policy',
    ],
    ['a table that was emptied', () => db.asOwner('truncate casbin'), 'admin-reads-policy'],
    [
      'roles over more than ten levels',
      () =>
        db.asOwner(
          `insert into casbin (ptype, rule)
           select 'g', jsonb_build_array('r' || i, 'r' || i + 1) from generate_series(1, 11) i`,
        ),
      'more than 10 levels',
    ],
  ]
  for (const [what, breakIt, says] of faults) {
    it(`never come into force with ${what}: the last good policy stays, and a restore repairs them`, async () => {
      const policy = await loaded()
      const good = policy.current()
      await breakIt()
      await policy.refresh().then(
        () => expect.fail('came into force'),
        (error: unknown) => {
          expect(error).to.be.instanceOf(PolicyError)
          expect(String(error)).to.contain(says).and.to.contain('docs/operations.md')
        },
      )
      expect(policy.current()).to.equal(good)
      expect(policy.status().fault).to.contain(says)
      const fresh = createCurrentPolicy(loadSnapshot(database, rules))
      await fresh.refresh().catch(() => undefined)
      expect(() => fresh.current(), 'a process that starts now decides nothing').to.throw()

      const stored = await readStoredPolicy(database, rules)
      expect(stored.fault).to.contain(says)
      expect([stored.revision, stored.lastGood.revision]).to.deep.equal([2, 1])
      expect(keys([...stored.lastGood.rows])).to.deep.equal(keys([...(await rowsOf('default.csv'))]))
      expect((await findRevision(database, 2))?.revision, 'the history stays readable').to.equal(2)
      const rows = await rowsOfRevision(database, stored, 1)
      if (rows === null) throw new Error('there was one')
      const plan = await planReplacement(stored, rows, rules, 'unbounded')
      expect(plan.changes, 'against what every running process decides by').to.deep.equal([])
      await commitEdit(database, plan, ORIGIN)
      expect((await policy.refresh()).revision).to.equal(3)
      expect(policy.status().fault).to.equal(null)
      expect(keys([...policy.current().rows])).to.deep.equal(keys([...good.rows]))
      // the way back across the broken revision stays open
      const after = await readStoredPolicy(database, rules)
      expect(keys([...((await rowsOfRevision(database, after, 1))?.rows ?? [])])).to.deep.equal(keys([...good.rows]))
    })
  }

  it('do not keep a process from the last good revision, if it missed that one', async () => {
    const policy = await loaded()
    await insert('p2', ['viewer', 'doc:read'])
    await insert('p', ['505', 'X', 'editor', 'link:update', 'any'])
    for (const what of ['the first load', 'the next one']) {
      await policy.refresh().then(
        () => expect.fail('came into force'),
        (error: unknown) => expect(error).to.be.instanceOf(PolicyError),
      )
      expect(policy.status().fault, what).to.contain('does not parse')
      expect(policy.current().revision, what).to.equal(2)
      expect(policy.current().mayCall('viewer', 'doc:read'), what).to.equal(true)
    }
  })

  it('come into force again once they are repaired by hand', async () => {
    const policy = await loaded()
    await insert('p', ['505', 'X', 'editor', 'link:update', 'any'])
    await policy.refresh().catch(() => undefined)
    await db.asOwner(`delete from casbin where rule ->> 0 = '505'`)
    expect((await policy.refresh()).revision).to.equal(3)
    expect(policy.status()).to.deep.include({ revision: 3, fault: null })
  })

  it('cannot be stored with a priority that is no number, or that another row has', async () => {
    for (const priority of ['many', '300', '0300']) {
      await insert('p', [priority, 'X', 'viewer', 'link:read', 'any', 'allow']).then(
        () => expect.fail(priority),
        (error: unknown) => expect(String(error)).to.match(/bigint|casbin_priority_key/),
      )
    }
    expect((await loaded()).status().revision).to.equal(1)
  })

  it('are not overwritten by an edit that was planned without them', async () => {
    const stored = await readStoredPolicy(database, rules)
    const plan = await planReplacement(
      stored,
      {
        rows: [...stored.lastGood.rows, { ptype: 'p2', role: 'clerk', action: 'link:read' }],
        comments: stored.lastGood.comments,
      },
      rules,
      'unbounded',
    )
    await insert('p2', ['viewer', 'doc:read'])
    await commitEdit(database, plan, ORIGIN).then(
      () => expect.fail('was committed'),
      (error: unknown) => expect(error).to.be.instanceOf(PolicyReplaced),
    )
  })
})
