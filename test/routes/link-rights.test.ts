import { expect } from 'chai'

import { createAccounts } from '../../src/identity/accounts.js'
import { editPolicy } from '../support/edit-policy.js'
import { at } from '../support/json.js'
import { addLink } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

const OWNER = { who: 'owner', rule: 'R5' }
const ADMINS = { who: 'role', role: 'admin', rule: 'R3' }

describe('who may change a link', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  const ask = (code: string, token: string) => service.request('GET', `/links/${code}/rights`, { token })
  const actionsOf = async (code: string, token = callers.admin.token) => at((await ask(code, token)).json, 'actions')
  const both = (...who: readonly object[]) => ({ 'link:update': who, 'link:delete': who })

  it('is told to whoever may change it, and to nobody else', async () => {
    const { editor, other, viewer, admin } = callers
    const code = await addLink(service.db, { owner: editor.id })
    for (const { token } of [editor, admin]) {
      const answer = await ask(code, token)
      expect(answer.json, answer.text).to.deep.equal({
        revision: Number(answer.headers.get('Policy-Revision')),
        actions: both(OWNER, ADMINS),
      })
    }
    for (const { token } of [other, viewer])
      expect((await ask(code, token)).json).to.include({ status: 403, code: 'policy_denied', rule: 'R5' })
    expect((await service.request('GET', `/links/${code}/rights`)).status).to.equal(401)
    expect((await ask('not-there', admin.token)).status).to.equal(404)
  })

  it('follows its owner as they are now: their role, their suspension, and whose it is', async () => {
    const accounts = createAccounts(service.database)
    const { id } = await service.addUser('viewer')
    const code = await addLink(service.db, { owner: id })
    expect(await actionsOf(code)).to.deep.equal(both(OWNER, ADMINS))
    await accounts.setRole(id, 'admin')
    expect(await actionsOf(code)).to.deep.equal(both(ADMINS))
    await accounts.setRole(id, 'editor')
    await accounts.setSuspended(id, true)
    expect(await actionsOf(code)).to.deep.equal(both(ADMINS))
    expect(await actionsOf(await addLink(service.db, { owner: null }))).to.deep.equal(both(ADMINS))
  })

  it('follows the policy in force', async () => {
    const code = await addLink(service.db, { owner: callers.editor.id })
    const frozen = {
      ptype: 'p',
      priority: 22,
      rule: 'E1',
      role: 'editor',
      action: 'link:delete',
      reach: 'any',
    } as const
    await editPolicy(service, callers.admin.token, { add: [{ ...frozen, effect: 'deny' }] })
    expect(await actionsOf(code)).to.deep.equal({ 'link:update': [OWNER, ADMINS], 'link:delete': [ADMINS] })
  })
})
