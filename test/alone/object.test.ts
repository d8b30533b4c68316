import { expect } from 'chai'

import { startLoneLayer, type LoneLayer } from '../support/lone-layer.js'
import { addLink, storedLink } from '../support/records.js'
import { requestOf } from '../support/samples.js'

describe('the object layer alone, with gateway, endpoint and data layer open', () => {
  let alone: LoneLayer

  before(async () => {
    alone = await startLoneLayer('object')
  })
  after(() => alone.service.stop())

  it("refuses to change or delete another's link, with the rule that decided", async () => {
    const { service, editor, viewer, stranger } = alone
    for (const owner of [stranger.id, null]) {
      const code = await addLink(service.db, { owner })
      const before = await storedLink(service.db, code)
      for (const [method, json] of [
        ['DELETE', undefined],
        ['PATCH', { target: 'https://example.com/stolen' }],
      ] as const) {
        for (const [user, rule] of [
          [editor, 'R5'],
          [viewer, 'R5'],
          [null, 'R2'],
        ] as const) {
          const answer = await alone.as(user, method, `/links/${code}`, json)
          expect(answer.json, `${method} by ${user?.role ?? 'nobody'}`).to.include({
            status: 403,
            code: 'policy_denied',
            rule,
          })
        }
      }
      expect(await storedLink(service.db, code)).to.deep.equal(before)
    }
  })

  it('answers 404 where there is no record, before the policy is asked', async () => {
    for (const user of [alone.editor, null]) {
      expect((await alone.as(user, 'DELETE', '/links/there-is-none')).json).to.include({
        status: 404,
        code: 'not_found',
      })
    }
  })

  it('refuses what only admins may do', async () => {
    for (const route of alone.service.routes.filter(({ objectAction }) =>
      /^(?:policy|user|audit):/.test(objectAction),
    )) {
      const { method, path, options } = requestOf(route, alone.stranger.id)
      const answer = await alone.as(alone.editor, method, path, options.json)
      expect(answer.json, `${method} ${path}`).to.include({ status: 403, code: 'policy_denied', rule: 'R6' })
    }
  })

  it('lets an owner and an admin through', async () => {
    const { service, editor, admin } = alone
    for (const user of [editor, admin]) {
      const code = await addLink(service.db, { owner: editor.id })
      expect((await alone.as(user, 'DELETE', `/links/${code}`)).status).to.equal(204)
    }
  })
})
