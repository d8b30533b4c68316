import { expect } from 'chai'
import * as fc from 'fast-check'

import { buildEngine } from '../../src/policy/engine.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import {
  adapterOf,
  casbinOver,
  csvRows,
  interpreterWitness,
  policyRows,
  requireAgreement,
  rowsOf,
  shippedRules,
  snapshotWitness,
} from '../support/policy.js'

describe('the engine', () => {
  let rules: PolicyRules
  before(async () => {
    rules = await shippedRules()
  })

  it('agrees with a plain Casbin and with an interpreter about the shipped rows', async () => {
    for (const rows of [
      await rowsOf('default.csv'),
      [...(await rowsOf('default.csv')), ...(await rowsOf('auditor.csv'))],
    ]) {
      requireAgreement(rows, {
        snapshot: snapshotWitness(await buildSnapshot(1, rules.model, rows)),
        casbin: await casbinOver(rules.model.text, adapterOf(rows)),
        interpreter: interpreterWitness(rows),
      })
    }
  })

  it('agrees with both about any rows in any stored order', async () => {
    await fc.assert(
      fc.asyncProperty(policyRows, async (rows) => {
        requireAgreement(rows, {
          snapshot: snapshotWitness(await buildSnapshot(1, rules.model, rows)),
          casbin: await casbinOver(rules.model.text, adapterOf(rows)),
          interpreter: interpreterWitness(rows),
        })
      }),
      { numRuns: 150 },
    )
  })

  it('tells ids apart that are equal only after rounding, and without an id nothing is owned', async () => {
    const snapshot = await buildSnapshot(1, rules.model, await rowsOf('default.csv'))
    const editor = { id: '9007199254740993', role: 'editor' }
    expect(snapshot.decide(editor, 'link:delete', { owner_id: '9007199254740993' }).effect).to.equal('allow')
    expect(snapshot.decide(editor, 'link:delete', { owner_id: '9007199254740992' })).to.include({
      effect: 'deny',
      rule: 'R5',
      relation: 'other',
    })
    for (const id of ['', null, undefined]) {
      for (const owner of ['', null, undefined]) {
        const decision = snapshot.decide(
          { role: 'editor', ...(id === undefined ? {} : { id }) },
          'link:delete',
          owner === undefined ? {} : { owner_id: owner },
        )
        expect(decision).to.include({ effect: 'deny', rule: 'R5' })
      }
    }
    expect(snapshot.decide(editor, 'link:delete', null).effect).to.equal('deny')
    expect(snapshot.decide({ ...editor, suspended: true }, 'link:delete', { owner_id: editor.id })).to.include({
      effect: 'deny',
      rule: 'R2',
      relation: 'anonymous',
    })
  })

  it('denies everything over no rows', async () => {
    const snapshot = await buildSnapshot(1, rules.model, [])
    expect(snapshot.decideFor('admin', 'link:read', 'own')).to.include({ effect: 'deny', rule: 'default' })
    expect(snapshot.mayCall('admin', 'link:read')).to.equal(false)
    expect(snapshot.reach('admin', 'link:read')).to.equal('none')
  })

  it('decides the same whatever a role or an action is called', async () => {
    const snapshot = await buildSnapshot(1, rules.model, await rowsOf('default.csv'))
    for (const name of ['constructor', 'valueof', '__proto__', 'hasOwnProperty', '', 'x'.repeat(10_000), 'a,b', '*']) {
      expect(snapshot.decideFor(name, 'link:update', 'own'), name).to.include({ effect: 'allow', rule: 'R5' })
      expect(snapshot.decideFor('editor', name, 'own'), name).to.include({ effect: 'deny', rule: 'R6' })
    }
  })

  it('refuses two object rows with the same priority', async () => {
    const [row] = csvRows('p, 1, R1, editor, link:read, any, allow')
    if (row === undefined) throw new Error('must be there')
    await buildEngine(rules.model, [row, { ...row, role: 'viewer' }]).then(
      () => expect.fail('was built'),
      (error: unknown) => {
        expect(error).to.be.instanceOf(PolicyError)
        expect(String(error)).to.contain('priority 1')
      },
    )
  })

  const chain = (levels: number) =>
    Array.from({ length: levels }, (_, i) => ({ ptype: 'g' as const, role: `role${i}`, inherits: `role${i + 1}` }))

  it('follows inheritance over ten levels as Casbin does, and refuses an eleventh', async () => {
    const last = csvRows('p, 1, R1, role10, link:update, any, allow')
    const rows = [...chain(10), ...last]
    requireAgreement(rows, {
      snapshot: snapshotWitness(await buildSnapshot(1, rules.model, rows)),
      casbin: await casbinOver(rules.model.text, adapterOf(rows)),
      interpreter: interpreterWitness(rows),
    })
    await buildEngine(rules.model, chain(11)).then(
      () => expect.fail('was built'),
      (error: unknown) => expect(String(error)).to.contain('role0 inherits over more than 10 levels'),
    )
  })

  it('follows a role with a hundred thousand parents', async () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => ({
      ptype: 'g' as const,
      role: 'boss',
      inherits: `role${i}`,
    }))
    const engine = await buildEngine(rules.model, rows)
    expect(engine.inheritance.ancestors('boss').size).to.equal(100_001)
  })

  it('is not slowed down by roles that all inherit each other', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `role${i}`)
    const rows = names.flatMap((role) =>
      names.filter((other) => other !== role).map((inherits) => ({ ptype: 'g' as const, role, inherits })),
    )
    const snapshot = await buildSnapshot(1, rules.model, [
      ...rows,
      ...csvRows('p, 1, R1, role7, link:update, any, allow'),
    ])
    expect(snapshot.decideFor('role29', 'link:update', 'other').effect).to.equal('allow')
  })
})
