import { expect } from 'chai'

import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import type { TestService, TestUser } from '../support/service.js'
import { until } from '../support/until.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

const row = (priority: number, role: string, action: string, effect = 'allow', reach = 'any') => ({
  ptype: 'p',
  priority,
  rule: 'T1',
  role,
  action,
  reach,
  effect,
})
const FREEZE = row(50, 'user', 'link:create', 'deny')

describe('a policy edit by somebody who may not do everything', () => {
  let callers: Callers
  let service: TestService
  let warden: TestUser

  beforeEach(async () => {
    callers = await startWithCallers()
    service = callers.service
    await addRows(service, callers.admin.token, [
      ...rowsFor('warden', 350, 'policy:write', 'policy:read', 'user:update', 'doc:sign'),
      ...rowsFor('notary', 360, 'doc:stamp'),
      row(370, 'clerk', 'doc:sign', 'allow', 'own'),
      { ptype: 'p2', role: 'clerk', action: 'doc:sign' },
    ])
    warden = await service.addUser('warden')
  })
  afterEach(() => service.stop())

  const revision = () => service.policy.current().revision
  const edit = (user: TestUser, add: readonly unknown[], remove: readonly unknown[], query = '') =>
    service.request('POST', `/policy/changes${query}`, {
      token: user.token,
      headers: { 'If-Match': `"${revision()}"` },
      json: { add, remove, reason: 'a test' },
    })
  const decisionsOf = (json: unknown) =>
    listAt(json, 'decisions').map((each) => [at(each, 'role'), at(each, 'action'), at(each, 'relation')].join(' '))

  it('gives nobody, themselves included, what they may not do: by rows of any kind', async () => {
    const cases: readonly (readonly [
      what: string,
      add: readonly unknown[],
      remove: readonly unknown[],
      decision: string,
    ])[] = [
      ['their own role', [row(340, 'warden', '*')], [], 'warden audit:read other'],
      ['every role', [row(340, 'user', 'audit:read')], [], 'viewer audit:read other'],
      ['a role that nobody has', [row(340, 'ghost', 'user:invite')], [], 'ghost user:invite own'],
      ['an action that no row names', [row(340, 'clerk', 'doc:burn')], [], 'clerk doc:burn other'],
      ['an endpoint', [{ ptype: 'p2', role: 'editor', action: 'audit:read' }], [], 'editor audit:read own'],
      ['inheritance', [{ ptype: 'g', role: 'clerk', inherits: 'admin' }], [], 'clerk audit:read other'],
      ['inheritance by themselves', [{ ptype: 'g', role: 'warden', inherits: 'notary' }], [], 'warden doc:stamp own'],
    ]
    for (const [what, add, remove, decision] of cases) {
      const before = revision()
      for (const query of ['?dry_run=true', '']) {
        const answer = await edit(warden, add, remove, query)
        expect(answer.json, `${what}${query}`).to.include({ status: 403, code: 'beyond_own_rights' })
        expect(decisionsOf(answer.json), what).to.include(decision)
        expect(at(answer.json, 'detail'), what).to.match(/\bwarden\b/)
      }
      expect(revision()).to.equal(before)
    }
  })

  it('takes nothing from a role that may do more', async () => {
    for (const add of [
      row(1, 'admin', 'audit:read', 'deny'),
      row(1, 'anyone', 'doc:stamp', 'deny'),
      row(1, 'notary', 'link:create', 'deny'),
      row(1, 'user', 'doc:sign', 'deny'),
    ])
      expect((await edit(warden, [add], [])).json, JSON.stringify(add)).to.include({
        status: 403,
        code: 'beyond_own_rights',
      })
    const endpoint = { ptype: 'p2', role: 'notary', action: 'doc:stamp' }
    expect((await edit(warden, [], [endpoint])).json).to.include({ code: 'beyond_own_rights' })
  })

  it('may pass on, and take back, what they have; a rule may change its name', async () => {
    const passed = [row(380, 'viewer', 'doc:sign'), { ptype: 'p2', role: 'viewer', action: 'doc:sign' }]
    expect((await edit(warden, passed, [])).status).to.equal(200)
    expect((await edit(warden, [], passed)).status).to.equal(200)
    // what the relation is counts, too: own records are less than others'
    const own = { ptype: 'p2', role: 'clerk', action: 'doc:sign' }
    expect((await edit(warden, [], [own])).status).to.equal(200)
    const anonymous = await edit(warden, [row(120, 'anyone', 'link:read')], [])
    expect(anonymous.status).to.equal(200)
  })

  it('a right on own records lets nobody pass on a right on others’', async () => {
    await addRows(service, callers.admin.token, rowsFor('clerk', 390, 'policy:write'))
    const clerk = await service.addUser('clerk')
    const answer = await edit(clerk, [row(371, 'viewer', 'doc:sign')], [])
    expect(decisionsOf(answer.json)).to.deep.equal(['viewer doc:sign other'])
    const both = [row(371, 'viewer', 'doc:sign', 'allow', 'own'), { ptype: 'p2', role: 'viewer', action: 'doc:sign' }]
    expect((await edit(clerk, both, [])).status).to.equal(200)
  })

  it('nobody completes a right of which a role has one half, and they have the other', async () => {
    const endpoint = (role: string) => ({ ptype: 'p2', role, action: 'audit:read' })
    await addRows(service, callers.admin.token, [row(346, 'clerk', 'audit:read'), endpoint('warden')])
    const half = await edit(warden, [endpoint('clerk')], [])
    expect(half.json).to.include({ status: 403, code: 'beyond_own_rights' })
    expect(decisionsOf(half.json)).to.deep.equal(['clerk audit:read own', 'clerk audit:read other'])
    await addRows(service, callers.admin.token, [endpoint('notary'), row(347, 'warden', 'audit:read')])
    expect((await edit(callers.admin, [], [endpoint('warden')])).status).to.equal(200)
    const other = await edit(warden, [row(348, 'notary', 'audit:read')], [])
    expect(decisionsOf(other.json)).to.deep.equal(['notary audit:read own', 'notary audit:read other'])
    // a half that completes nothing is the maker's own to give
    expect((await edit(warden, [row(349, 'viewer', 'audit:read')], [])).status).to.equal(200)
  })

  it('no restore brings back what they may not do', async () => {
    const open = rowsFor('viewer', 395, 'audit:read')
    await addRows(service, callers.admin.token, open)
    const wide = revision()
    expect((await edit(callers.admin, [], open)).status).to.equal(200)
    for (const query of ['?dry_run=true', '']) {
      const answer = await service.request('POST', `/policy/revisions/${wide}/restore${query}`, {
        token: warden.token,
        json: {},
      })
      expect(answer.json).to.include({ status: 403, code: 'beyond_own_rights' })
      expect(decisionsOf(answer.json)).to.include('viewer audit:read other')
    }
  })

  it('holds back nobody who may do everything', async () => {
    expect((await edit(callers.admin, [row(340, 'warden', '*')], [])).status).to.equal(409)
    expect((await edit(callers.admin, [row(340, 'warden', 'user:invite')], [])).status).to.equal(200)
  })

  it('an admin can lift a freeze that binds admins too; nobody else can', async () => {
    expect((await edit(warden, [FREEZE], [])).json).to.include({ code: 'beyond_own_rights' })
    expect((await edit(callers.admin, [FREEZE], [])).status).to.equal(200)
    expect((await edit(warden, [], [FREEZE])).json).to.include({ code: 'beyond_own_rights' })
    expect((await edit(callers.admin, [], [FREEZE])).status).to.equal(200)
  })

  it('who may do everything but something that others may is held back', async () => {
    const no = row(340, 'deputy', 'audit:read', 'deny')
    const deputies = [
      no,
      row(341, 'deputy', 'link:update', 'deny'),
      row(342, 'deputy', 'link:delete', 'deny'),
      row(345, 'deputy', '*'),
      { ptype: 'p2', role: 'deputy', action: '*' },
    ]
    await addRows(service, callers.admin.token, deputies)
    const deputy = await service.addUser('deputy')
    expect((await edit(deputy, [], [no])).json).to.include({ status: 403, code: 'beyond_own_rights' })
    expect((await edit(deputy, [row(346, 'clerk', 'user:read')], [])).status).to.equal(200)
  })

  it('the refusal is in the log, of who was refused', async () => {
    await edit(warden, [row(340, 'warden', 'audit:read')], [])
    const read = () =>
      service.db.asOwner(
        `select subject_role, effect, status from decisions where rule = 'beyond_own_rights' and subject_id = $1`,
        [warden.id],
      )
    await until('the refusal is recorded', async () => (await read()).length > 0)
    expect(await read()).to.deep.equal([{ subject_role: 'warden', effect: 'deny', status: 403 }])
  })

  it('a handful of requests makes nobody an admin', async () => {
    const steps: readonly (() => Promise<{ readonly status: number }>)[] = [
      () => edit(warden, [row(340, 'warden', 'user:update')], []),
      () => edit(warden, [row(341, 'warden', '*')], []),
      () => edit(warden, [row(2, 'admin', 'link:delete', 'deny')], []),
      () => edit(warden, [{ ptype: 'g', role: 'warden', inherits: 'admin' }], []),
      () => edit(warden, [{ ptype: 'g', role: 'user', inherits: 'admin' }], []),
      () => service.request('PATCH', `/users/${warden.id}`, { token: warden.token, json: { role: 'admin' } }),
      () => service.request('PATCH', `/users/${callers.admin.id}`, { token: warden.token, json: { role: 'warden' } }),
    ]
    for (const step of steps) await step()
    const { json } = await service.request('GET', '/policy/decisions', { token: callers.admin.token })
    const may = (role: string) =>
      listAt(json, 'decisions').filter((each) => at(each, 'role') === role && at(each, 'effect') === 'allow').length
    expect(may('warden')).to.be.lessThan(may('admin'))
    const { json: me } = await service.request('GET', '/users/me', { token: warden.token })
    expect(at(me, 'role')).to.equal('warden')
  })
})
