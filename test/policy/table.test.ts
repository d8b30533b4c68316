import { expect } from 'chai'
import * as fc from 'fast-check'

import { buildSnapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { decisionChanges, decisionTable, formatTableCsv, universeOf } from '../../src/policy/table.js'
import {
  csvRows,
  interpret,
  interpretEndpoint,
  policyRows,
  questionsAbout,
  rowsOf,
  shippedRules,
} from '../support/policy.js'

describe('the decision table', () => {
  let rules: PolicyRules
  before(async () => {
    rules = await shippedRules()
  })

  it('holds R1 to R7 for the shipped rows', async () => {
    const table = await decisionTable(await buildSnapshot(1, rules.model, await rowsOf('default.csv')))
    const cell = (role: string, action: string, relation: string) =>
      table.find((each) => each.role === role && each.action === action && each.relation === relation)
    expect(cell('anonymous', 'link:read', 'anonymous')).to.include({ effect: 'allow', rule: 'R1', endpoint: 'allow' })
    expect(cell('anonymous', 'link:create', 'anonymous')).to.include({ effect: 'deny', rule: 'R2' })
    expect(cell('admin', 'link:delete', 'other')).to.include({ effect: 'allow', rule: 'R3' })
    expect(cell('viewer', 'link:create', 'other')).to.include({ effect: 'allow', rule: 'R4', endpoint: 'allow' })
    expect(cell('editor', 'link:delete', 'own')).to.include({ effect: 'allow', rule: 'R5' })
    expect(cell('editor', 'link:delete', 'other')).to.include({ effect: 'deny', rule: 'R5' })
    expect(cell('editor', 'policy:write', 'other')).to.include({ effect: 'deny', rule: 'R6' })
    expect(cell('user', '*', 'own'), 'a role and an action that nobody named').to.include({
      effect: 'deny',
      rule: 'R6',
    })
    expect(cell('viewer', 'profile:update', 'own')).to.include({ effect: 'allow', rule: 'R7' })
  })

  it('is written as CSV with a line for each decision', async () => {
    const table = await decisionTable(await buildSnapshot(1, rules.model, await rowsOf('default.csv')))
    const lines = formatTableCsv(table).trimEnd().split('\n')
    expect(lines).to.have.length(table.length + 1)
    expect(lines).to.include('editor,link:delete,own,allow,R5,allow')
  })

  it('decides a role or an action that no row names like user and *', async () => {
    await fc.assert(
      fc.asyncProperty(policyRows, async (rows) => {
        const snapshot = await buildSnapshot(1, rules.model, rows)
        const { roles, actions } = universeOf(rows)
        for (const relation of ['own', 'other'] as const) {
          for (const action of actions)
            expect(snapshot.decideFor('stranger', action, relation).row).to.equal(
              snapshot.decideFor('user', action, relation).row,
            )
          for (const role of roles)
            expect(snapshot.decideFor(role, 'new:thing', relation).row).to.equal(
              snapshot.decideFor(role, '*', relation).row,
            )
        }
      }),
      { numRuns: 50 },
    )
  })

  it('finds every decision that an edit changes, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(policyRows, policyRows, async (before, after) => {
        const [one, two] = await Promise.all([
          buildSnapshot(1, rules.model, before),
          buildSnapshot(2, rules.model, after),
        ])
        const same = (rows: readonly unknown[]) => new Set(rows.map((row) => JSON.stringify(row)))
        const [was, is] = [same(before), same(after)]
        const changed = [
          ...before.filter((row) => !is.has(JSON.stringify(row))),
          ...after.filter((row) => !was.has(JSON.stringify(row))),
        ]
        const outcomes = (
          rows: typeof before,
          role: string,
          action: string,
          relation: 'own' | 'other' | 'anonymous',
        ) => {
          const { effect, row } = interpret(rows, role, action, relation)
          return {
            effect,
            rule: row?.rule ?? 'default',
            endpoint: interpretEndpoint(rows, role, action) ? 'allow' : 'deny',
          }
        }
        const expected = questionsAbout(before, after)
          .map((question) => ({
            ...question,
            before: outcomes(before, question.role, question.action, question.relation),
            after: outcomes(after, question.role, question.action, question.relation),
          }))
          .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
        const texts = (changes: readonly object[]) => changes.map((change) => JSON.stringify(change)).sort()
        expect(texts(await decisionChanges(one, two, changed))).to.deep.equal(texts(expected))
      }),
      { numRuns: 75 },
    )
  })

  it('is refused where it has too many decisions, and given for one role or action', async () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({
      ptype: 'p2' as const,
      role: `role${i}`,
      action: `doc:act${i}` as const,
    }))
    const snapshot = await buildSnapshot(1, rules.model, rows)
    await decisionTable(snapshot).then(
      () => expect.fail('was given'),
      (error: unknown) => expect(String(error)).to.contain('decisions, more than the 500,000'),
    )
    expect(await decisionTable(snapshot, { role: 'role7', action: 'doc:act7' })).to.have.length(2)
  })

  it('finds the decisions that the removal of an inheritance row changes', async () => {
    const rows = csvRows('p, 1, R1, clerk, link:update, any, allow\ng, editor, clerk\n')
    const [before, after] = await Promise.all([
      buildSnapshot(1, rules.model, rows),
      buildSnapshot(2, rules.model, rows.slice(0, 1)),
    ])
    const changes = await decisionChanges(before, after, rows.slice(1))
    expect(changes.map(({ role, action, relation }) => `${role} ${action} ${relation}`)).to.deep.equal([
      'editor link:update own',
      'editor link:update other',
    ])
  })
})
