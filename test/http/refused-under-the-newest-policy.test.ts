import { expect } from 'chai'

import { editPolicy, rowsFor } from '../support/edit-policy.js'
import { textAt } from '../support/json.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const EDITS = 40
const REQUESTS = 50
const ROW = {
  ptype: 'p',
  priority: 5,
  rule: 'STOP',
  role: 'viewer',
  action: 'link:create',
  reach: 'any',
  effect: 'deny',
}

/**
 * Promise 7 of the contract, beside promise 1: of a service that has not heard of an edit yet. Its listener is down, so
 * that it asks for the revision every 400 ms and is behind after each edit.
 */
describe('a change that comes after an acknowledged policy edit, to a service that has not heard of it', () => {
  let editing: TestService
  let behind: TestService
  let admin: TestUser
  let viewer: TestUser

  before(async () => {
    editing = await startTestService()
    const listener = { ...editing.db.service, host: '127.0.0.1', port: 1 }
    behind = await startTestService({ db: { ...editing.db, listener } })
    admin = await editing.addUser('admin')
    viewer = await behind.addUser('viewer')
  })
  after(async () => {
    await behind.stop()
    await editing.stop()
  })

  const create = () =>
    behind.request('POST', '/links', { token: viewer.token, json: { target: 'https://example.com/made' } })

  it('is allowed and refused by that edit, each of 2,000 times', async () => {
    let wasBehind = 0
    for (let i = 0; i < EDITS; i += 1) {
      const forbids = i % 2 === 0
      const revision = await editPolicy(editing, admin.token, forbids ? { add: [ROW] } : { remove: [ROW] })
      if (behind.policy.current().revision < revision) wasBehind += 1
      const answers = await Promise.all(Array.from({ length: REQUESTS }, create))
      for (const { status, headers } of answers) {
        expect(status, `revision ${revision}`).to.equal(forbids ? 403 : 201)
        expect(Number(headers.get('Policy-Revision'))).to.be.at.least(revision)
      }
    }
    expect(wasBehind, 'the service was behind after some edits').to.be.greaterThan(EDITS / 4)
  })

  it('may use an invitation that an earlier edit had ended, and withdraw one that it had hidden', async () => {
    const give = { ...ROW, priority: 960, role: 'guest', effect: 'allow' }
    await editPolicy(editing, admin.token, {
      add: [give, { ptype: 'p2', role: 'guest', action: 'link:create' }, ...rowsFor('host', 961, 'user:invite')],
    })
    const rights = rowsFor('host', 970, 'link:create', 'user:read')
    await editPolicy(editing, admin.token, { add: rights })
    const [host, other] = [await editing.addUser('host'), await behind.addUser('host')]
    let wasBehind = 0
    for (let i = 0; i < EDITS / 4; i += 1) {
      const invite = async (name: string) => {
        const json = { email: `${name}-${i}@example.com`, role: 'guest' }
        const made = await editing.request('POST', '/users/invitations', { token: host.token, json })
        expect(made.status, made.text).to.equal(201)
        return made.json
      }
      const [shownOne, withdrawnOne] = [await invite('a'), await invite('b')]
      await editPolicy(editing, admin.token, { remove: rights })
      await until('the edit is in force', () => behind.policy.current().revision === editing.policy.current().revision)
      const revision = await editPolicy(editing, admin.token, { add: rights })
      if (behind.policy.current().revision < revision) wasBehind += 1
      const [shown, withdrawn] = await Promise.all([
        behind.request('GET', new URL(textAt(shownOne, 'url')).pathname),
        behind.request('DELETE', `/users/invitations/${textAt(withdrawnOne, 'id')}`, { token: other.token }),
      ])
      expect([shown.status, withdrawn.status], `revision ${revision}`).to.deep.equal([200, 204])
    }
    expect(wasBehind, 'the service was behind after some edits').to.be.greaterThan(EDITS / 16)
  })
})
