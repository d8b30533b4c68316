import { expect } from 'chai'

import { REFUSED_BY_ROUTE } from '../../src/audit/refused-by-route.js'
import { REFUSALS } from '../../src/domain/refusal.js'
import { addRows } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { formOf } from '../support/samples.js'
import type { RequestOptions } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

describe('GET /audit/requests/{request_id}', () => {
  let callers: Callers
  before(async () => {
    callers = await startWithCallers()
  })
  after(() => callers.service.stop())

  const ask = (id: string, token = callers.admin.token) =>
    callers.service.request('GET', `/audit/requests/${id}`, { token })
  /**
   * Sends a request and answers the one decision of it; refusals come in batches, so it is asked for until it is there.
   */
  const decisionOf = async (method: string, path: string, options: RequestOptions): Promise<unknown> => {
    const { headers } = await callers.service.request(method, path, options)
    const id = headers.get('X-Request-ID') ?? ''
    const json = await until('the decision of the request', async () => {
      const answer = await ask(id)
      return answer.status === 200 && answer.json
    })
    expect(json).to.deep.include({ request_id: id, more: false })
    expect(listAt(json, 'data')).to.have.length(1)
    return at(json, 'data', 0)
  }

  it('finds a request by an id with characters that a path, a query or a quoted text would end at', async () => {
    const { service, editor } = callers
    const id = `a/b?c=d&e#f%2F"'${freshCode('id')}`
    await service.request('GET', '/users', { token: editor.token, headers: { 'X-Request-ID': id } })
    const data = await until('the decision of the request', async () => {
      const { status, json } = await ask(encodeURIComponent(id))
      return status === 200 && listAt(json, 'data')
    })
    expect(data).to.have.length(1)
    const listed = await service.request('GET', `/audit/decisions?request=${encodeURIComponent(id)}`, {
      token: callers.admin.token,
    })
    expect(listAt(listed.json, 'data').map((each) => at(each, 'request_id'))).to.deep.equal([id])
  })

  it('explains a refusal by the rows of its revision, whatever they are now', async () => {
    const { service, admin, editor, other } = callers
    const code = await addLink(service.db, { owner: editor.id })
    const { headers } = await service.request('DELETE', `/links/${code}`, { token: other.token })
    await addRows(service, admin.token, [
      { ptype: 'p', priority: 50, rule: 'FREEZE', role: 'editor', action: 'link:delete', reach: 'any', effect: 'deny' },
    ])
    const later = await decisionOf('DELETE', `/links/${code}`, { token: other.token })
    expect(later).to.have.nested.property('explanation.object.row.rule', 'FREEZE')

    const first = at((await ask(headers.get('X-Request-ID') ?? '')).json, 'data', 0)
    expect(first).to.deep.include({
      revision: 1,
      layer: 'object',
      rule: 'R5',
      effect: 'deny',
      row_priority: 540,
      status: 403,
    })
    expect(first).to.have.nested.property('resource.relation', 'other')
    expect(at(first, 'explanation')).to.deep.include({
      revision: 1,
      layer: 'object',
      role: 'editor',
      relation: 'other',
      effect: 'deny',
      agrees: true,
      inherits: ['user', 'anyone'],
    })
    expect(
      listAt(first, 'explanation', 'object', 'considered').map((each) => [
        at(each, 'row', 'priority'),
        at(each, 'outcome'),
      ]),
    ).to.deep.equal([
      [530, 'does_not_match'],
      [540, 'decides'],
      [999_999, 'not_reached'],
    ])
  })

  it('explains an allowed change as soon as it is acknowledged', async () => {
    const { headers } = await callers.service.request('POST', '/links', {
      token: callers.editor.token,
      json: { target: 'https://example.com/' },
    })
    const { status, json } = await ask(headers.get('X-Request-ID') ?? '')
    expect(status).to.equal(200)
    expect(at(json, 'data', 0, 'explanation')).to.deep.include({ effect: 'allow', agrees: true })
    expect(json).to.have.nested.property('data[0].explanation.object.rule', 'R4')
  })

  it('explains a refusal by the endpoint, and says nothing about the record', async () => {
    const decision = await decisionOf('GET', '/policy', { token: callers.editor.token })
    expect(at(decision, 'explanation')).to.deep.include({
      layer: 'endpoint',
      role: 'editor',
      action: 'policy:read',
      effect: 'deny',
      agrees: true,
    })
    expect(at(decision, 'explanation', 'endpoint')).to.deep.equal({ effect: 'deny', considered: [], not_listed: 0 })
    expect(at(decision, 'explanation')).not.to.have.property('object')
  })

  it("explains the gateway's refusals by what was missing", async () => {
    const narrow = await callers.service.tokenFor(callers.editor, 'link:read')
    for (const [options, code, why] of [
      [{}, 'token_required', 'link:create'],
      [{ token: 'x.y.z' }, 'invalid_token', 'not valid'],
      [{ token: narrow }, 'insufficient_scope', 'the scope link:create'],
    ] as const) {
      const decision = await decisionOf('POST', '/links', { json: { target: 'https://example.com/' }, ...options })
      expect(at(decision, 'explanation')).to.include({ layer: 'gateway', code })
      expect(at(decision, 'explanation', 'why')).to.include(why)
    }
  })

  it('explains a wrong password as what it is, and no replay takes it for a decision of the rows', async () => {
    const { service, editor, admin } = callers
    const code = freshCode('guarded')
    await service.request('POST', '/links', {
      token: editor.token,
      json: { code, target: 'https://example.com/', password: 'open sesame' },
    })
    const decision = await decisionOf('POST', `/${code}`, formOf({ password: 'wrong password' }))
    expect(at(decision, 'explanation')).to.deep.equal({
      layer: 'object',
      code: 'wrong_password',
      why: 'the rows allow it; refused because the password of the link was wrong',
    })
    const nothing = { add: [], remove: [] }
    const { json } = await service.request('POST', '/policy/previews?replay=1h', { token: admin.token, json: nothing })
    const turned = listAt(json, 'replay', 'decisions').filter((each) => at(each, 'before', 'rule') === 'wrong_password')
    expect(turned).to.deep.equal([])
  })

  it('knows every refusal by which a route takes back what the rows allow', () => {
    const codes = Object.entries(REFUSALS).flatMap(([code, { layer, status }]) =>
      layer === 'object' && status === 403 && code !== 'password_required' ? [code] : [],
    )
    expect([...REFUSED_BY_ROUTE.keys()]).to.have.members(codes)
  })

  it('explains a refusal by a route after the rows allowed it', async () => {
    const { service, admin } = callers
    const clerk = await service.addUser('clerk')
    await addRows(service, admin.token, [
      { ptype: 'p', priority: 60, rule: 'HELP', role: 'clerk', action: 'user:invite', reach: 'any', effect: 'allow' },
      { ptype: 'p2', role: 'clerk', action: 'user:invite' },
    ])
    const decision = await decisionOf('POST', '/users/invitations', {
      token: clerk.token,
      json: { email: 'new@example.com', role: 'admin' },
    })
    expect(at(decision, 'explanation')).to.include({ layer: 'object', code: 'policy_denied' })
  })

  it('answers 404 for an unknown or impossible id, and only to readers of the audit', async () => {
    for (const id of ['absent', 'a%20b', 'x'.repeat(65), '%00'])
      expect((await ask(id)).json, id).to.include({ status: 404, code: 'not_found' })
    expect((await ask('absent', callers.editor.token)).json).to.include({ status: 403, code: 'role_not_allowed' })
    expect((await ask('absent', await callers.service.tokenFor(callers.admin, 'policy:read'))).json).to.include({
      status: 403,
      code: 'insufficient_scope',
    })
  })
})
