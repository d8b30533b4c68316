import { expect } from 'chai'

import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

const row = (priority: number, rule: string, role: string, action: string, effect: string, reach = 'any') => ({
  ptype: 'p',
  priority,
  rule,
  role,
  action,
  reach,
  effect,
})

describe('a preview of an edit', () => {
  let callers: Callers
  before(async () => {
    callers = await startWithCallers()
  })
  after(() => callers.service.stop())

  const preview = (json: object, { token = callers.admin.token, query = '' } = {}) =>
    callers.service.request('POST', `/policy/previews${query}`, { token, json })

  it('says what changes, what refuses it and why, also of an edit that would be refused', async () => {
    const { status, json, text } = await preview({
      add: [row(525, 'MOD', 'editor', 'link:delete', 'allow')],
      remove: [],
    })
    expect(status, text).to.equal(200)
    expect(at(json, 'revision')).to.equal(1)
    expect(listAt(json, 'decisions_changed')).to.deep.include({
      role: 'editor',
      action: 'link:delete',
      relation: 'other',
      before: { effect: 'deny', rule: 'R5', endpoint: 'allow' },
      after: { effect: 'allow', rule: 'MOD', endpoint: 'allow' },
    })
    expect(at(json, 'objections', 0)).to.include({ code: 'invariant_violated', status: 409 })
    expect(at(json, 'objections', 0, 'violations', 0, 'row', 'priority')).to.equal(525)
    expect(at(json, 'objections', 0, 'violations', 0, 'file')).to.equal('policies/invariants.csv')
    // nothing was done, and an edit of it is refused with the same
    expect(callers.service.policy.current().revision).to.equal(1)
    const refused = await callers.service.request('POST', '/policy/changes', {
      token: callers.admin.token,
      headers: { 'If-Match': '"1"' },
      json: { add: [row(525, 'MOD', 'editor', 'link:delete', 'allow')], reason: 'a try' },
    })
    expect(refused.status).to.equal(409)
    expect(at(refused.json, 'detail')).to.equal(at(json, 'objections', 0, 'detail'))
  })

  it('tells of an edit that its maker could not undo', async () => {
    const bound = async (...add: readonly object[]) => at((await preview({ add, remove: [] })).json, 'binds_maker')
    const shutOut = row(50, 'OUT', 'admin', 'link:update', 'deny')
    expect(await bound(shutOut)).to.equal(true)
    // a freeze binds everybody, so an admin may lift it
    expect(await bound(row(50, 'FREEZE', 'anyone', 'link:update', 'deny'))).to.equal(false)
    expect(await bound(row(50, 'OUT', 'editor', 'link:update', 'deny'))).to.equal(false)
    expect(await bound()).to.equal(false)
  })

  it('names rows that the edit shuts out, and questions with another answer, and no old ones', async () => {
    const { json } = await preview({ add: [row(525, 'FREEZE', 'editor', 'link:delete', 'deny')], remove: [] })
    expect(listAt(json, 'objections')).to.deep.equal([])
    expect(listAt(json, 'findings').map((each) => [at(each, 'kind'), at(each, 'row', 'priority')])).to.deep.include([
      'overridden',
      530,
    ])
    const [first, ...others] = listAt(json, 'expectations', 'unmet')
    expect(first).to.include({ role: 'editor', action: 'link:delete', expected: 'allow', effect: 'deny', is_new: true })
    expect(others).to.deep.equal([])
    expect(at(json, 'expectations', 'asked')).to.be.greaterThan(20)
    expect(listAt((await preview({ add: [], remove: [] })).json, 'findings')).to.deep.equal([])
  })

  it('422 for rows that cannot be added or removed, by their places', async () => {
    const { json } = await preview({ add: [row(510, 'X', 'editor', 'link:read', 'allow')], remove: [{ ptype: 'x' }] })
    expect(json).to.include({ status: 422 })
    const taken = await preview({ add: [row(510, 'X', 'editor', 'link:read', 'allow')], remove: [] })
    expect(at(taken.json, 'errors', 0, 'field')).to.equal('add.0.priority')
  })

  it('is for whoever may read the policy, with what would refuse them; a replay, for readers of the log', async () => {
    const { service, admin } = callers
    await addRows(service, admin.token, rowsFor('policy-reader', 830, 'policy:read'))
    const reader = await service.addUser('policy-reader')
    const edit = { add: [row(250, 'FREEZE', 'admin', 'link:delete', 'deny')], remove: [] }
    const { status, json } = await preview(edit, { token: reader.token })
    expect(status).to.equal(200)
    expect(listAt(json, 'objections').map((each) => at(each, 'code'))).to.deep.equal(['beyond_own_rights'])
    expect((await preview(edit, { token: reader.token, query: '?replay=1h' })).json).to.include({
      status: 403,
      code: 'role_not_allowed',
    })
    expect((await preview(edit, { token: callers.editor.token })).status).to.equal(403)
    expect(at((await preview(edit, { query: '?replay=1h' })).json, 'replay', 'window')).to.equal('1h')
  })

  it('replays the past until a time', async () => {
    const { service, admin, editor } = callers
    await service.db.asOwner(
      `insert into decisions (time, request_id, revision, layer, subject_id, subject_role, action, resource_type,
                              relation, effect, rule, status)
       values (now() - interval '3 days', 'old', 1, 'object', $1, 'editor', 'link:delete', 'link', 'own', 'allow',
               'R5', 204)`,
      [editor.id],
    )
    const edit = { add: [row(526, 'FREEZE', 'editor', 'link:delete', 'deny')], remove: [] }
    const until = new Date(Date.now() - 2 * 86_400_000).toISOString()
    const replayOf = async (query: string) => at((await preview(edit, { query, token: admin.token })).json, 'replay')
    expect(await replayOf(`?replay=2d&replay_until=${until}`)).to.deep.include({ changed: 1, subjects: 1, to: until })
    expect(at(await replayOf('?replay=2d'), 'changed')).to.equal(0)
    expect((await preview(edit, { query: '?replay=2d&replay_until=yesterday' })).json).to.include({ status: 400 })
  })
})

describe('previews that take long', () => {
  let callers: Callers
  before(async () => {
    callers = await startWithCallers({ environment: { REQUEST_DEADLINE_MS: '2000' } })
    const { service, admin } = callers
    const roles = Array.from({ length: 300 }, (_, i) => row(1_000 + i, 'X', `role-${i}`, 'link:read', 'allow', 'own'))
    await addRows(service, admin.token, roles)
  })
  after(() => callers.service.stop())

  it('are made one after the other, and leave the service to others', async () => {
    const { service, admin, editor } = callers
    const preview = (add: readonly object[]) =>
      service.request('POST', '/policy/previews', { token: admin.token, json: { add } })
    const everything = [row(50, 'X', 'anyone', '*', 'deny')]
    const many = Promise.all(Array.from({ length: 10 }, () => preview(everything)))
    expect((await service.request('GET', '/users/me', { token: editor.token })).status).to.equal(200)
    const answers = await many
    for (const { status } of answers) expect(status).to.be.oneOf([200, 503])
    expect(answers.map(({ json }) => at(json, 'detail'))).to.include('Another analysis of the policy is in progress.')
    await until('a small one is answered', async () => (await preview([])).status === 200)
  })
})

describe('earlier revisions', () => {
  let callers: Callers
  let earlier: string
  before(async () => {
    callers = await startWithCallers()
    earlier = new Date().toISOString()
    await addRows(callers.service, callers.admin.token, [row(525, 'FREEZE', 'editor', 'link:delete', 'deny')])
  })
  after(() => callers.service.stop())

  const get = (path: string, token = callers.admin.token) => callers.service.request('GET', path, { token })

  it('are shown with their rows and decisions, and compared', async () => {
    const priorities = async (path: string) =>
      listAt((await get(path)).json, 'rows').map((each) => at(each, 'priority'))
    expect(await priorities('/policy')).to.include(525)
    expect(await priorities('/policy?revision=1')).to.not.include(525)
    const cellOf = async (path: string) =>
      listAt((await get(path)).json, 'decisions').find(
        (each) => [at(each, 'role'), at(each, 'action'), at(each, 'relation')].join() === 'editor,link:delete,own',
      )
    expect(await cellOf('/policy/decisions')).to.include({ effect: 'deny', rule: 'FREEZE' })
    expect(await cellOf('/policy/decisions?revision=1')).to.include({ effect: 'allow', rule: 'R5' })
    expect((await get('/policy/decisions?revision=1&format=csv')).text).to.contain('editor,link:delete,own,allow,R5')

    const { json } = await get('/policy/comparison?from=1&to=2')
    expect(listAt(json, 'added').map((each) => at(each, 'priority'))).to.deep.equal([525])
    expect(listAt(json, 'removed')).to.deep.equal([])
    expect(listAt(json, 'decisions_changed')).to.have.length(2)
    const back = (await get('/policy/comparison?from=2&to=1')).json
    expect(listAt(back, 'removed')).to.deep.equal(listAt(json, 'added'))
    expect((await get('/policy?revision=9')).status).to.equal(404)
    expect((await get('/policy/comparison?from=1&to=9')).status).to.equal(404)
    expect((await get('/policy/comparison?from=1')).status).to.equal(400)
  })

  it('tell what was in force at a time', async () => {
    const newest = async (query: string) =>
      at((await get(`/policy/revisions?limit=1${query}`)).json, 'data', 0, 'revision')
    expect(await newest('')).to.equal(2)
    expect(await newest(`&until=${earlier}`)).to.equal(1)
    expect((await get('/policy/revisions?until=2000-01-01T00:00:00Z')).json).to.deep.include({ data: [] })
  })

  it('explain a question as it was answered under them, about a role, and about a user and a link', async () => {
    const { service, admin, editor, other } = callers
    const code = freshCode()
    await addLink(service.db, { code, owner: editor.id })
    const asked = async (query: string) => (await get(`/policy/explanation?action=link:delete&${query}`)).json
    const now = await asked('role=editor&relation=own')
    expect(at(now, 'explanation')).to.include({ effect: 'deny', layer: 'object' })
    expect(at(now, 'explanation', 'object', 'row', 'priority')).to.equal(525)
    expect(at(await asked('role=editor&relation=own&revision=1'), 'explanation')).to.include({ effect: 'allow' })

    const about = await asked(`user=${editor.id}&link=${code}&revision=1`)
    expect(at(about, 'explanation')).to.include({ relation: 'own', effect: 'allow', role: 'editor' })
    expect(at(about, 'link')).to.deep.equal({ code, owner_id: editor.id })
    expect(listAt(about, 'who_may')).to.deep.include({ who: 'owner', rule: 'R5' })
    expect(at(await asked(`user=${other.id}&link=${code}`), 'explanation')).to.include({ relation: 'other' })

    await service.request('PATCH', `/users/${other.id}`, { token: admin.token, json: { suspended: true } })
    const suspended = await asked(`user=${other.id}&link=${code}`)
    expect(at(suspended, 'explanation')).to.include({ role: 'anonymous', effect: 'deny' })
    expect(at(suspended, 'user')).to.include({ suspended: true })
  })

  it('explain nobody and nothing to whoever may read the policy alone', async () => {
    const { service, admin, editor } = callers
    await addRows(service, admin.token, rowsFor('policy-reader', 830, 'policy:read'))
    const { token } = await service.addUser('policy-reader')
    const asked = async (query: string) => (await get(`/policy/explanation?action=link:delete&${query}`, token)).status
    expect(await asked('role=editor')).to.equal(200)
    expect(await asked(`user=${editor.id}`)).to.equal(403)
    expect(await asked('role=editor&link=any')).to.equal(403)
  })

  it('400 for questions that are none', async () => {
    const field = async (query: string) => at((await get(`/policy/explanation?${query}`)).json, 'errors', 0, 'field')
    expect(await field('role=editor')).to.equal('action')
    expect(await field('action=link:delete')).to.equal('role')
    expect(await field('action=link:delete&user=999999')).to.equal('user')
    expect(await field('action=link:delete&role=editor&link=there-is-none')).to.equal('link')
    expect(await field('action=link:delete&role=anonymous&relation=own')).to.equal('relation')
    const { editor } = callers
    const code = freshCode()
    await addLink(callers.service.db, { code, owner: editor.id })
    expect(await field(`action=link:delete&role=admin&user=${editor.id}`)).to.equal('role')
    expect(await field(`action=link:delete&user=${editor.id}&link=${code}&relation=other`)).to.equal('relation')
  })
})
