import { expect } from 'chai'

import { createClient } from '../../src/client/client.js'
import { addRows, editPolicy, rowsFor } from '../support/edit-policy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until, within } from '../support/until.js'

describe('the revision in force, as it changes', () => {
  let service: TestService
  let other: TestService
  let admin: TestUser
  before(async () => {
    service = await startTestService()
    other = await startTestService({ db: service.db })
    admin = await service.addUser('admin')
  })
  after(async () => {
    await other.stop()
    await service.stop()
  })

  const watch = (on: TestService, { token }: TestUser) => {
    const leaving = new AbortController()
    const told: number[] = []
    const read = async () => {
      const client = createClient({ baseUrl: on.baseUrl, token })
      for await (const { revision } of client.watchPolicy({}, { signal: leaving.signal })) told.push(revision)
    }
    return { told, ended: read(), leave: () => leaving.abort() }
  }

  it('is told at once, and when an edit comes into force, here and in another process', async () => {
    const [here, there] = [watch(service, admin), watch(other, await other.addUser('admin'))]
    await until('both are told', () => here.told.length > 0 && there.told.length > 0)
    const revision = await addRows(service, admin.token, rowsFor('policy-reader', 830, 'policy:read'))
    for (const each of [here, there]) await until('the edit is told', () => each.told.at(-1) === revision)
    // a quiet stream says where it is only every 7.5 seconds
    const next = await addRows(service, admin.token, [{ ptype: 'p2', role: 'editor', action: 'policy:read' }])
    const soon = { withinMs: 6_000 }
    for (const each of [here, there]) await until('the next is told', () => each.told.at(-1) === next, soon)
    for (const each of [here, there]) each.leave()
    await Promise.all([here.ended, there.ended])
  })

  it('ends with the right to read the policy', async () => {
    const reader = await service.addUser('policy-reader')
    const heard = watch(service, reader)
    await until('it is told', () => heard.told.length > 0)
    const revision = await editPolicy(service, admin.token, { remove: rowsFor('policy-reader', 830, 'policy:read') })
    await within('the stream ends', heard.ended)
    expect(heard.told.filter((each) => each >= revision)).to.deep.equal([])
    expect((await service.request('GET', '/policy/live', { token: reader.token })).status).to.equal(403)
  })

  it('ends when an endpoint row lets the listener in no more, and when they are suspended', async () => {
    await addRows(service, admin.token, rowsFor('policy-reader', 830, 'policy:read'))
    const reader = await service.addUser('policy-reader')
    const heard = watch(service, reader)
    await until('it is told', () => heard.told.length > 0)
    await editPolicy(service, admin.token, { remove: [{ ptype: 'p2', role: 'policy-reader', action: 'policy:read' }] })
    await within('the stream ends', heard.ended)

    const second = await service.addUser('admin')
    const suspended = watch(service, second)
    await until('it is told', () => suspended.told.length > 0)
    const path = `/users/${second.id}`
    await service.request('PATCH', path, { token: admin.token, json: { suspended: true } })
    const revision = await addRows(service, admin.token, [{ ptype: 'p2', role: 'viewer', action: 'policy:read' }])
    await within('the stream ends', suspended.ended)
    expect(suspended.told).to.not.include(revision)
  })

  it('ends with the service, and after as many events as were asked for', async () => {
    const { text } = await service.request('GET', '/policy/live?limit=1', { token: admin.token })
    expect(text).to.match(/^retry: \d+\n\nevent: revision\ndata: \{"revision":\d+\}\n\n$/)
    const third = await startTestService({ db: service.db })
    const heard = watch(third, await third.addUser('admin'))
    await until('it is told', () => heard.told.length > 0)
    await third.stop()
    await within('the stream ends', heard.ended)
  })
})
