import { expect } from 'chai'
import * as fc from 'fast-check'

import { mayGiveIn } from '../../src/console/pages/users/may-give.js'
import { personCells } from '../../src/console/pages/users/rights-cells.js'
import type { Cell } from '../../src/domain/decision-table.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import { decisionTable, mayGrant, universeOf } from '../../src/policy/table.js'
import { policyRows, rowsOf, shippedRules } from '../support/policy.js'

const WORDS = { token: (name: string) => `token ${name}`, scope: 'scope' }

describe('the parts of the pages of users', () => {
  it('say of every two roles what the service says: may one give out the other?', async () => {
    const rules = await shippedRules()
    await fc.assert(
      fc.asyncProperty(policyRows, async (rows) => {
        const snapshot = await buildSnapshot(1, rules.model, rows)
        const mayGive = mayGiveIn(await decisionTable(snapshot))
        const roles = [...universeOf(rows).roles.filter((role) => role !== 'anonymous'), 'unheard-of']
        for (const granter of roles)
          for (const role of roles)
            expect(mayGive(granter, role), `${granter} gives ${role}`).to.equal(await mayGrant(snapshot, granter, role))
      }),
      { numRuns: 60 },
    )
  })

  it('show a role that no row names as any other one, and beside it each token as far as its scopes go', async () => {
    const rows = await rowsOf('default.csv')
    const { model } = await shippedRules()
    const cells: readonly Cell[] = await decisionTable(await buildSnapshot(1, model, rows))
    const tokens = [
      { id: '1', name: 'import', scopes: ['link:create', 'user:read'] },
      { id: '2', name: 'import', scopes: [] },
    ]
    const shown = personCells(cells, 'clerk', tokens, WORDS)
    expect([...new Set(shown.map(({ role }) => role))]).to.deep.equal(['clerk', 'token import', 'token import, 2'])
    const answer = (role: string, action: string, relation = 'own') => {
      const found = shown.find((cell) => cell.role === role && cell.action === action && cell.relation === relation)
      return [found?.effect, found?.rule]
    }
    expect(answer('clerk', 'link:create')).to.deep.equal(['allow', 'R4'])
    expect(answer('token import', 'link:create')).to.deep.equal(['allow', 'R4'])
    expect(answer('token import, 2', 'link:create')).to.deep.equal(['deny', 'scope'])
    expect(answer('token import', 'link:delete')).to.deep.equal(['deny', 'scope'])
    expect(answer('token import', 'link:delete', 'other'), 'the role may not, either').to.deep.equal(['deny', 'R5'])
    expect(answer('token import', 'user:read'), 'a scope is no right').to.deep.equal(answer('clerk', 'user:read'))
    expect(shown).to.have.length(3 * cells.filter(({ role }) => role === 'user').length)
  })
})
