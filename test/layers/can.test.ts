import { expect } from 'chai'

import type { Layers } from '../../src/layers/route.js'
import type { Snapshot } from '../../src/policy/snapshot.js'
import { addDeletedLink, addLink } from '../support/records.js'
import { requestOf, subjectOf } from '../support/samples.js'
import { startTestService } from '../support/service.js'
import type { TestService, TestUser } from '../support/service.js'

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
