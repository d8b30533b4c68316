import { expect } from 'chai'
import * as fc from 'fast-check'

import type { PolicyModel } from '../../src/policy/model.js'
import { toId } from '../../src/domain/id.js'
import { isUserRole } from '../../src/domain/role.js'
import type { User } from '../../src/domain/user.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import { universeOf } from '../../src/policy/table.js'
import { whoMay } from '../../src/policy/who-may.js'
import { csvRows, interpret, interpretEndpoint, policyRows, rowsOf, shippedRules } from '../support/policy.js'

const OWNER = toId('7')
const STRANGER = toId('8')
const userOf = (id: typeof OWNER, role: string, suspended = false): User => ({
  id,
  role,
  suspended,
  email: 'a@example.com',
  name: '',
  created_at: '2026-01-01T00:00:00.000Z',
})

describe('who may do something to a record', () => {
  let model: PolicyModel
  before(async () => {
    ;({ model } = await shippedRules())
  })

  it('is the owner and admins with the default rows, and admins alone where the owner is one', async () => {
    const snapshot = await buildSnapshot(1, model, await rowsOf('default.csv'))
    const admins = { who: 'role', role: 'admin', rule: 'R3' } as const
    const owner = { who: 'owner', rule: 'R5' } as const
    for (const action of ['link:update', 'link:delete']) {
      for (const role of ['editor', 'viewer', 'a-role-without-rows'])
        expect(await whoMay(snapshot, action, userOf(OWNER, role)), role).to.deep.equal([owner, admins])
      for (const nobody of [null, userOf(OWNER, 'admin'), userOf(OWNER, 'editor', true)])
        expect(await whoMay(snapshot, action, nobody)).to.deep.equal([admins])
    }
    expect(await whoMay(snapshot, 'link:transfer', userOf(OWNER, 'editor'))).to.deep.equal([admins])
  })

  it('is nobody whom the endpoint rows do not let in', async () => {
    const rows = csvRows('p,1,X,clerk,link:update,any,allow\np,2,X,keeper,link:update,any,allow\np2,keeper,link:update')
    const snapshot = await buildSnapshot(1, model, rows)
    expect(await whoMay(snapshot, 'link:update', null)).to.deep.equal([{ who: 'role', role: 'keeper', rule: 'X' }])
  })

  it('is what can() and the endpoint rows answer for each role, over any rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        policyRows,
        fc.constantFrom('link:update', 'link:delete'),
        fc.constantFrom('admin', 'editor', 'clerk', 'auditor', 'intern'),
        async (rows, action, ownerRole) => {
          const snapshot = await buildSnapshot(1, model, rows)
          const found = await whoMay(snapshot, action, userOf(OWNER, ownerRole))
          const record = { owner_id: OWNER }
          const roles = universeOf(rows).roles.filter(isUserRole)
          expect(roles).to.include.members(['admin', 'editor', 'viewer']).and.not.include.members(['user'])
          const may = (id: typeof OWNER, role: string) =>
            snapshot.can(userOf(id, role), action, record) && interpretEndpoint(rows, role, action)
          const expected = [
            ...(may(OWNER, ownerRole) && !may(STRANGER, ownerRole)
              ? [{ who: 'owner', rule: interpret(rows, ownerRole, action, 'own').row?.rule }]
              : []),
            ...roles
              .filter((role) => may(STRANGER, role))
              .map((role) => ({ who: 'role', role, rule: interpret(rows, role, action, 'other').row?.rule })),
          ]
          expect(found).to.deep.equal(expected)
        },
      ),
      { numRuns: 200 },
    )
  })
})
