import { expect } from 'chai'

import { editPolicy } from '../support/edit-policy.js'
import { addLink, storedLink } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('DELETE /links/{code}, in the specified order', () => {
  let callers: Callers
  let service: TestService
  let code: string
  let absentRole: string

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    // a role that may not delete at all: an endpoint row is what lets a signed-in user call it, so it is taken away
    // here
    await editPolicy(service, callers.admin.token, {
      remove: [{ ptype: 'p2', role: 'user', action: 'link:delete' }],
      add: [{ ptype: 'p2', role: 'editor', action: 'link:delete' }],
    })
    absentRole = callers.viewer.token
  })
  after(() => service.stop())
  beforeEach(async () => {
    code = await addLink(service.db, { owner: callers.other.id })
  })

  const remove = (name: string, token?: string, headers = {}) =>
    service.request('DELETE', `/links/${name}`, { ...(token === undefined ? {} : { token }), headers })

  it('401 without a token, whether or not the link exists', async () => {
    for (const name of [code, 'there-is-none', 'no%20code']) {
      const answer = await remove(name)
      expect(answer.json, name).to.include({ status: 401, code: 'token_required' })
      expect(answer.headers.get('WWW-Authenticate')).to.match(/^Bearer /)
    }
  })

  it('401 with a token that is not valid, whether or not the link exists', async () => {
    for (const name of [code, 'there-is-none'])
      expect((await remove(name, 'nonsense')).json).to.include({ status: 401, code: 'invalid_token' })
  })

  it('403 without the scope, before the role, the record and its owner are looked at', async () => {
    for (const user of [callers.editor, callers.viewer, callers.other]) {
      for (const name of [code, 'there-is-none']) {
        const answer = await remove(name, await service.tokenFor(user, 'link:read link:update'))
        expect(answer.json).to.include({ status: 403, code: 'insufficient_scope' })
        expect(answer.headers.get('WWW-Authenticate')).to.include('scope="link:delete"')
      }
    }
  })

  it('403 for the role, before the record is looked for', async () => {
    for (const name of [code, 'there-is-none'])
      expect((await remove(name, absentRole)).json).to.include({ status: 403, code: 'role_not_allowed' })
  })

  it('404 where there is no such link', async () => {
    expect((await remove('there-is-none', callers.editor.token)).json).to.include({ status: 404, code: 'not_found' })
  })

  it("403 by R5 for another's link, which stays; If-Match is not looked at before", async () => {
    for (const headers of [{}, { 'If-Match': '"of no version"' }]) {
      expect((await remove(code, callers.editor.token, headers)).json).to.include({
        status: 403,
        code: 'policy_denied',
        rule: 'R5',
      })
    }
    expect(await storedLink(service.db, code)).to.include({ owner_id: callers.other.id })
  })

  it('204 without a body for the owner and for an admin, then 404 again', async () => {
    for (const { token } of [callers.other, callers.admin]) {
      const mine = await addLink(service.db, { owner: callers.other.id })
      const answer = await remove(mine, token)
      expect(answer).to.include({ status: 204, text: '' })
      expect(answer.headers.get('Content-Type')).to.equal(null)
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      expect((await remove(mine, token)).json).to.include({ status: 404, code: 'not_found' })
      expect(await storedLink(service.db, mine)).to.equal(undefined)
    }
  })
})
