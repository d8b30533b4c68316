import { expect } from 'chai'

import { oracleEndpoint } from '../support/oracle.js'
import { startLoneLayer, type LoneLayer } from '../support/lone-layer.js'
import { addLink, storedLink } from '../support/records.js'
import { requestOf } from '../support/samples.js'

describe('the endpoint layer alone, with gateway, object and data layer open', () => {
  let alone: LoneLayer

  before(async () => {
    alone = await startLoneLayer('endpoint')
  })
  after(() => alone.service.stop())

  it('refuses every operation to every role whose rows do not name it', async () => {
    for (const user of [null, alone.editor, alone.viewer]) {
      for (const route of alone.service.routes) {
        if (route.endpoint === 'none' || oracleEndpoint(user, route.endpoint)) continue
        const { method, path, options } = requestOf(route)
        const answer = await alone.as(user, method, path, options.json)
        expect(answer.status, `${user?.role ?? 'nobody'}, ${method} ${path}`).to.equal(403)
        expect(answer.json).to.include({ code: 'role_not_allowed' })
      }
    }
  })

  it('keeps a caller without a user from deleting a link that exists', async () => {
    const code = await addLink(alone.service.db, { owner: alone.stranger.id })
    expect((await alone.as(null, 'DELETE', `/links/${code}`)).json).to.include({
      status: 403,
      code: 'role_not_allowed',
    })
    expect(await storedLink(alone.service.db, code)).to.not.equal(undefined)
  })

  it('lets what it lets through do anything: the other layers are really open', async () => {
    const code = await addLink(alone.service.db, { owner: alone.stranger.id })
    expect((await alone.as(alone.viewer, 'DELETE', `/links/${code}`)).status).to.equal(204)
    expect(await storedLink(alone.service.db, code)).to.equal(undefined)
  })
})
