import { expect } from 'chai'
import * as fc from 'fast-check'

import type { ObjectRow, PolicyRow } from '../../src/domain/policy-row.js'
import { MOST_CONSIDERED, explain } from '../../src/policy/explanation.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import {
  adapterOf,
  casbinOver,
  csvRows,
  interpret,
  interpretEndpoint,
  policyRows,
  questionsAbout,
  rowsOf,
  shippedRules,
} from '../support/policy.js'

describe('an explanation', () => {
  let rules: PolicyRules
  before(async () => {
    rules = await shippedRules()
  })

  /** Holds every explanation of every cell against a plain Casbin over all rows; answers how many there were. */
  const requireCasbins = async (rows: readonly PolicyRow[]): Promise<number> => {
    const snapshot = await buildSnapshot(3, rules.model, rows)
    const casbin = await casbinOver(rules.model.text, adapterOf(rows))
    const questions = questionsAbout(rows)
    for (const { role, action, relation } of questions) {
      const name = `${role} ${action} ${relation}`
      const explanation = explain(snapshot, role, action, relation)
      const { object, endpoint } = explanation
      expect({ effect: object.effect, priority: object.row?.priority ?? null }, name).to.deep.equal(
        casbin.ask(role, action, relation),
      )
      expect(endpoint.effect === 'allow', name).to.equal(casbin.askEndpoint(role, action))
      expect(explanation, name).to.include({
        revision: 3,
        role,
        action,
        relation,
        layer: endpoint.effect === 'allow' ? 'object' : 'endpoint',
        effect: endpoint.effect === 'allow' ? object.effect : 'deny',
      })
      // in order, and each row with what became of it
      const priorities = object.considered.map(({ row }) => row.priority)
      expect(priorities, name).to.deep.equal([...priorities].sort((a, b) => a - b))
      const decides = object.considered.findIndex(({ outcome }) => outcome === 'decides')
      expect(decides === -1 ? null : object.considered[decides]?.row, name).to.equal(object.row)
      for (const [i, { row, outcome, why }] of object.considered.entries()) {
        expect(outcome, name).to.equal(
          decides === -1 || i < decides ? 'does_not_match' : i === decides ? 'decides' : 'not_reached',
        )
        expect(why !== null, name).to.equal(outcome === 'does_not_match')
        // the row and the inheritance alone: does it match by itself?
        const alone =
          interpret([row, ...rows.filter(({ ptype }) => ptype === 'g')], role, action, relation).row !== null
        if (outcome !== 'not_reached') expect(alone, name).to.equal(outcome === 'decides')
      }
      for (const { row, outcome } of endpoint.considered) {
        expect(interpretEndpoint([row, ...rows.filter(({ ptype }) => ptype === 'g')], role, action), name).to.equal(
          outcome === 'decides',
        )
      }
      expect(
        endpoint.considered.some(({ outcome }) => outcome === 'decides'),
        name,
      ).to.equal(endpoint.effect === 'allow')
    }
    return questions.length
  }

  it("names the row that Casbin names for every cell of the default policy and of the auditor's", async () => {
    expect(await requireCasbins(await rowsOf('default.csv'))).to.be.greaterThan(80)
    await requireCasbins([...(await rowsOf('default.csv')), ...(await rowsOf('auditor.csv'))])
  })

  it('names the row that Casbin names for any rows', async () => {
    await fc.assert(
      fc.asyncProperty(policyRows, async (rows) => {
        await requireCasbins(rows)
      }),
      { numRuns: 75 },
    )
  })

  it('says why each earlier row did not match, and which later ones were not reached', async () => {
    const explanation = explain(
      await buildSnapshot(1, rules.model, await rowsOf('default.csv')),
      'editor',
      'link:delete',
      'other',
    )
    expect(explanation.inherits).to.deep.equal(['user', 'anyone'])
    expect(explanation.object.considered.map(({ row, outcome, why }) => [row.priority, outcome, why])).to.deep.equal([
      [530, 'does_not_match', "the record is another's"],
      [540, 'decides', null],
      [999_999, 'not_reached', null],
    ])
  })

  it('lists a limited number of rows, the one that decided among them', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `role${i}`)
    const own = names.map((role, i): ObjectRow => ({
      ptype: 'p',
      priority: i + 1,
      rule: 'X',
      role,
      action: 'link:update',
      reach: 'own',
      effect: 'allow',
    }))
    const rows = [
      ...own,
      ...names.map((inherits) => ({ ptype: 'g' as const, role: 'boss', inherits })),
      ...csvRows('p, 999, X, boss, link:update, any, deny\np, 1000, X, boss, *, any, allow'),
    ]
    const { object } = explain(await buildSnapshot(1, rules.model, rows), 'boss', 'link:update', 'other')
    expect([object.considered.length, object.not_listed]).to.deep.equal([MOST_CONSIDERED, 102])
    expect(object.considered.at(-1)).to.deep.include({ outcome: 'decides' })
    expect(object.row?.priority).to.equal(999)
  })
})
