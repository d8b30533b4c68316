import { expect } from 'chai'
import { newEnforcer, newModelFromString, type Enforcer } from 'casbin'
import adapterModule from 'casbin-pg-adapter'
import { Client } from 'pg'

import { ACTIONS } from '../../src/domain/action.js'
import { relationOf, roleOf } from '../../src/policy/snapshot.js'
import { oracle, type OracleRecord, type OracleUser } from '../support/oracle.js'
import { startTestService, type TestService } from '../support/service.js'

// two ids that a double cannot tell apart
const BIG = '9007199254740993'
const BIG_NEIGHBOUR = '9007199254740992'

const users: Readonly<Record<string, OracleUser>> = {
  'an absent user': null,
  'an admin': { id: '11', role: 'admin' },
  'an editor': { id: '12', role: 'editor' },
  'a viewer': { id: '13', role: 'viewer' },
  'a role without rows': { id: '14', role: 'intern' },
  'a suspended admin': { id: '15', role: 'admin', suspended: true },
  'a suspended editor': { id: '16', role: 'editor', suspended: true },
  'an editor without an id': { role: 'editor' },
  'an editor with a null id': { id: null, role: 'editor' },
  'an editor with an empty id': { id: '', role: 'editor' },
  'an admin without an id': { role: 'admin' },
  'an editor with an id beyond 2^53': { id: BIG, role: 'editor' },
}

const recordsFor = (user: OracleUser): Readonly<Record<string, OracleRecord>> => ({
  'their own record': { owner_id: user?.id ?? '12' },
  "another's record": { owner_id: '99' },
  'no record': null,
  'a record without an owner': { owner_id: null },
  'a record whose owner is missing': {},
  'a record with an empty owner': { owner_id: '' },
  'the record of a neighbour after rounding': { owner_id: BIG_NEIGHBOUR },
})

const actions: readonly string[] = [...ACTIONS, 'link:publish', 'todo:can_update_todo', '*']

describe('one matrix, several witnesses', () => {
  let service: TestService
  let casbin: Enforcer
  let client: Client

  before(async () => {
    service = await startTestService()
    // Casbin itself, over the rows as they are stored, loaded by its own adapter
    client = new Client(service.db.owner)
    await client.connect()
    const adapter = await adapterModule.default.newAdapter({ migrate: false, dbClient: async (work) => work(client) })
    casbin = await newEnforcer(newModelFromString(service.policy.current().model.text), adapter)
    casbin.enableAutoSave(false)
    await casbin.loadPolicy()
  })
  after(async () => {
    await client.end()
    await service.stop()
  })

  for (const [who, user] of Object.entries(users)) {
    it(`the oracle, can() and Casbin agree on ${who}`, () => {
      for (const action of actions) {
        for (const [what, record] of Object.entries(recordsFor(user))) {
          const expected = oracle(user, action, record)
          const decision = service.policy.current().decide(user, action, record)
          const asked = `${who}, ${action}, ${what}`
          expect({ effect: decision.effect, rule: decision.rule }, asked).to.deep.equal(expected)
          expect(service.policy.current().can(user, action, record), asked).to.equal(expected.effect === 'allow')

          const id = user === null || user.suspended ? '' : (user.id ?? '')
          const [allowed, row] = casbin.enforceExSync({ role: roleOf(user), id }, action, {
            owner_id: record?.owner_id ?? '',
          })
          expect({ effect: allowed ? 'allow' : 'deny', rule: row[1] }, `Casbin: ${asked}`).to.deep.equal(expected)
        }
      }
    })
  }

  it('the relation is own exactly where both ids are present and equal', () => {
    expect(relationOf({ id: BIG, role: 'editor' }, { owner_id: BIG })).to.equal('own')
    expect(relationOf({ id: BIG, role: 'editor' }, { owner_id: BIG_NEIGHBOUR })).to.equal('other')
    expect(relationOf({ role: 'editor' }, {})).to.equal('other')
    expect(relationOf({ id: '', role: 'editor' }, { owner_id: '' })).to.equal('other')
  })
})
