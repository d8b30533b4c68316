import { expect } from 'chai'

import { startLoneLayer, type LoneLayer } from '../support/lone-layer.js'
import { addLink, storedLink } from '../support/records.js'
import { requestOf } from '../support/samples.js'

describe('the gateway alone, with endpoint, object and data layer open', () => {
  let alone: LoneLayer

  before(async () => {
    alone = await startLoneLayer('gateway')
  })
  after(() => alone.service.stop())

  it('lets what it lets through do anything: the other layers are really open', async () => {
    const code = await addLink(alone.service.db, { owner: alone.stranger.id })
    const answer = await alone.service.request('DELETE', `/links/${code}`, { token: alone.viewer.token })
    expect(answer.status).to.equal(204)
    expect(await storedLink(alone.service.db, code)).to.equal(undefined)
  })

  it('refuses every protected operation without a token', async () => {
    const { service } = alone
    for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
      const { method, path, options } = requestOf(route)
      const answer = await service.request(method, path, options)
      expect(answer.status, `${method} ${path}`).to.equal(401)
      expect(answer.json).to.include({ code: 'token_required' })
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer realm="linkgate"')
    }
  })

  it('refuses every operation, public ones too, with a token that is not valid', async () => {
    const { service } = alone
    for (const route of service.routes) {
      const { method, path, options } = requestOf(route)
      const answer = await service.request(method, path, { ...options, token: `${alone.admin.token.slice(0, -4)}AAAA` })
      expect(answer.status, `${method} ${path}`).to.equal(401)
      expect(answer.json).to.include({ code: 'invalid_token' })
    }
  })

  it("refuses every protected operation to a token without its scope, an admin's too", async () => {
    const { service, admin } = alone
    const token = await service.tokenFor(admin, '')
    for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
      const { method, path, options } = requestOf(route)
      const answer = await service.request(method, path, { ...options, token })
      expect(answer.status, `${method} ${path}`).to.equal(403)
      expect(answer.json).to.include({ code: 'insufficient_scope' })
    }
  })

  it('refuses the token of a user who was suspended or is no more', async () => {
    const { service } = alone
    const user = await service.addUser('admin')
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [user.id])
    expect((await service.request('GET', '/policy', { token: user.token })).status).to.equal(401)
    expect(
      (await service.request('GET', '/policy', { token: await service.tokenFor({ id: '4611686018427387904' }) }))
        .status,
    ).to.equal(401)
  })

  it('refuses what is over the limit', async () => {
    const limited = await startLoneLayer('gateway', { RATE_LIMIT_USER: '3/60' })
    try {
      const ask = async () => (await limited.service.request('GET', '/links', { token: limited.editor.token })).status
      expect(await Promise.all(Array.from({ length: 5 }, ask))).to.have.members([200, 200, 200, 429, 429])
    } finally {
      await limited.service.stop()
    }
  })
})
