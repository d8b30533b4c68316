import { expect } from 'chai'

import type { Layers } from '../../src/layers/layers.js'
import type { Snapshot } from '../../src/policy/snapshot.js'
import { addRows } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { addDeletedLink, addLink } from '../support/records.js'
import { requestOf, subjectOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

/** Promise 9 of the contract. */
describe('can()', () => {
  let service: TestService
  let admin: TestUser
  const asked: string[] = []

  const watched = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    can: (user, action, record) => {
      asked.push(action)
      return snapshot.can(user, action, record)
    },
  })

  before(async () => {
    const composeLayers = (layers: Layers): Layers => ({
      ...layers,
      object: (snapshot, ...rest) => layers.object(watched(snapshot), ...rest),
    })
    service = await startTestService({ composeLayers })
    admin = await service.addUser('admin')
  })
  after(() => service.stop())

  it('is called by the object layer for every operation, with its action', async () => {
    const routes = service.routes.filter(({ objectAction }) => objectAction !== 'none')
    expect(routes.length).to.be.greaterThan(20)
    for (const route of routes) {
      const subject = subjectOf(route)
      const name =
        subject === 'link'
          ? await addLink(service.db, { owner: admin.id })
          : subject === 'deleted link'
            ? await addDeletedLink(service.db, admin.id)
            : admin.id
      const { method, path: at, options } = requestOf(route, name)
      asked.length = 0
      const answer = await service.request(method, at, { ...options, token: admin.token })
      expect(asked, `${method} ${at}: ${answer.text}`).to.include(route.objectAction)
    }
  })
})

describe('a policy that allows what is others’, and denies what is one’s own', () => {
  const ACTIONS = ['link:update', 'link:delete', 'link:transfer', 'user:read']
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  let own: string
  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    editor = await service.addUser('editor')
    own = await addLink(service.db, { owner: admin.id })
    const rows = ACTIONS.map((action, i) => ({
      ptype: 'p',
      priority: i + 1,
      rule: 'NOT-OWN',
      role: 'admin',
      action,
      reach: 'own',
      effect: 'deny',
    }))
    await addRows(service, admin.token, rows)
  })
  after(() => service.stop())

  const asAdmin = (method: string, path: string, json?: object) =>
    service.request(method, path, { token: admin.token, json })
  const listed = async (path: string, name: string) =>
    listAt((await asAdmin('GET', path)).json, 'data').map((each) => at(each, name))

  it('holds for each record', async () => {
    for (const owner of [editor.id, null]) {
      const code = await addLink(service.db, { owner })
      expect((await asAdmin('PATCH', `/links/${code}`, { title: 'x' })).status).to.equal(200)
      expect((await asAdmin('POST', `/links/${code}/transfer`, { owner_id: editor.id })).status).to.equal(200)
      const items = [
        { link: code, title: 'y' },
        { link: own, title: 'y' },
      ]
      const { json } = await asAdmin('POST', '/links/bulk', { operation: 'update', items })
      expect(listAt(json, 'results').map((each) => at(each, 'status'))).to.deep.equal([200, 403])
      expect((await asAdmin('GET', `/links/${code}/visits`)).status).to.equal(200)
      expect((await asAdmin('DELETE', `/links/${code}`)).status).to.equal(204)
    }
    for (const method of ['PATCH', 'DELETE'])
      expect((await asAdmin(method, `/links/${own}`, method === 'PATCH' ? {} : undefined)).json).to.include({
        code: 'policy_denied',
        rule: 'NOT-OWN',
      })
  })

  it('holds for lists, exports and statistics', async () => {
    const codes = [await addLink(service.db, { owner: editor.id }), await addLink(service.db, { owner: null })].sort()
    expect(await listed('/links?sort=code', 'code')).to.deep.equal(codes)
    expect(await listed('/links?sort=-visits', 'code')).to.have.members(codes)
    expect(await listed('/links?q=example.com&sort=code', 'code')).to.deep.equal(codes)
    const exported = (await asAdmin('GET', '/links/export?format=ndjson')).text.trim().split('\n')
    expect(exported.map((line) => at(JSON.parse(line), 'code')).sort()).to.deep.equal(codes)
    expect(await listed('/users', 'id')).to.deep.equal([editor.id])
    const [deleted, ownDeleted] = [
      await addDeletedLink(service.db, editor.id),
      await addDeletedLink(service.db, admin.id),
    ]
    expect(await listed('/links?state=deleted', 'id'))
      .to.include(deleted)
      .and.not.include(ownDeleted)
    for (const code of [...codes, own])
      await service.request('GET', `/${code}`, {
        headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0' },
      })
    const links = await until('all visits are counted', async () => {
      const { json } = await asAdmin('GET', '/visits?interval=month')
      return at(json, 'total') === 2 && listAt(json, 'links')
    })
    expect(links.map((each) => at(each, 'code'))).to.have.members(codes)
  })
})
