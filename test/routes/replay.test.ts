import { expect } from 'chai'

import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

const OWN_DELETE = {
  ptype: 'p',
  priority: 530,
  rule: 'R5',
  role: 'user',
  action: 'link:delete',
  reach: 'own',
  effect: 'allow',
}

describe('a dry run with replay', () => {
  let callers: Callers
  before(async () => {
    callers = await startWithCallers()
    const { service, editor, other } = callers
    for (const owner of [editor, editor, other]) {
      const code = freshCode()
      await service.request('POST', '/links', { token: owner.token, json: { target: 'https://example.com/', code } })
      expect((await service.request('DELETE', `/links/${code}`, { token: owner.token })).status).to.equal(204)
    }
  })
  after(() => callers.service.stop())

  const trial = async (query: string, token = callers.admin.token, path = '/policy/changes') =>
    callers.service.request('POST', `${path}${query}`, {
      token,
      headers: { 'If-Match': `"${callers.service.policy.current().revision}"` },
      json: path === '/policy/changes' ? { add: [], remove: [OWN_DELETE], reason: 'a try' } : {},
    })
  const recordsOf = (id: string, action: string): Promise<readonly unknown[]> =>
    until('the decision is recorded', async () => {
      const found = await callers.service.db.asOwner(
        'select layer, effect, rule from decisions where subject_id = $1 and action = $2',
        [id, action],
      )
      return found.length > 0 && found
    })

  it('says how many recorded decisions would change, which, and whom it touches', async () => {
    const { editor, other } = callers
    const { status, json, text } = await trial('?dry_run=true&replay=1h')
    expect(status, text).to.equal(200)
    expect(at(json, 'replay')).to.deep.include({
      window: '1h',
      changed: 3,
      allow_to_deny: 3,
      deny_to_allow: 0,
      by_other_rule: 0,
      already: 0,
      undetermined: 0,
      subjects: 2,
      not_listed: 0,
    })
    expect(listAt(json, 'replay', 'decisions')).to.deep.equal([
      {
        role: 'editor',
        action: 'link:delete',
        relation: 'own',
        layer: 'object',
        count: 3,
        before: { effect: 'allow', rule: 'R5' },
        in_force: { effect: 'allow', rule: 'R5' },
        after: { effect: 'deny', rule: 'R5' },
        users: 2,
        subjects: [
          { id: editor.id, count: 2 },
          { id: other.id, count: 1 },
        ],
      },
    ])
    expect(callers.service.policy.current().revision).to.equal(1)
    expect((await trial('?dry_run=true')).json).not.to.have.property('replay')
  })

  it('is there for the return to an earlier revision, too', async () => {
    const { json } = await trial('?dry_run=true&replay=1h', callers.admin.token, '/policy/revisions/1/restore')
    expect(at(json, 'replay')).to.deep.include({ changed: 0, decisions: [] })
  })

  it('400 for a window that is none, and without dry_run=true', async () => {
    for (const window of ['', '24', '0h', '91d', '1w', '-1h', '1h&replay=2h'])
      expect((await trial(`?dry_run=true&replay=${window}`)).json, window).to.include({
        status: 400,
        code: 'invalid_query',
      })
    for (const query of ['?replay=1h', '?dry_run=false&replay=1h']) {
      const { json } = await trial(query)
      expect(json, query).to.include({ status: 400, code: 'invalid_query' })
      expect(at(json, 'errors', 0, 'field')).to.equal('replay')
    }
    expect(callers.service.policy.current().revision).to.equal(1)
  })

  it('400 for the end of a window without the window: nothing would be replayed, and the edit be made', async () => {
    const { service, admin } = callers
    const revision = async () => at((await service.request('GET', '/policy', { token: admin.token })).json, 'revision')
    const before = await revision()
    for (const query of ['?replay_until=2026-11-01T00:00:00Z', '?dry_run=true&replay_until=2026-11-01T00:00:00Z'])
      expect((await trial(query)).json, query).to.deep.include({
        status: 400,
        errors: [{ field: 'replay_until', message: 'needs replay' }],
      })
    const json = { add: [], remove: [] }
    expect(
      (
        await service.request('POST', '/policy/previews?replay_until=2026-11-01T00:00:00Z', {
          token: admin.token,
          json,
        })
      ).status,
    ).to.equal(400)
    expect(await revision()).to.equal(before)
  })

  it('takes the scope audit:read beside policy:write, and rows that give both', async () => {
    const { service, admin } = callers
    expect((await trial('?dry_run=true&replay=1h', await service.tokenFor(admin, 'policy:write'))).json).to.include({
      status: 403,
      code: 'insufficient_scope',
    })
    expect((await trial('?dry_run=true', await service.tokenFor(admin, 'policy:write'))).status).to.equal(200)
    await addRows(service, admin.token, rowsFor('rule-writer', 820, 'policy:write'))
    const writer = await service.addUser('rule-writer')
    expect((await trial('?dry_run=true', writer.token)).status).to.equal(200)
    expect((await trial('?dry_run=true&replay=1h', writer.token)).json).to.include({
      status: 403,
      code: 'role_not_allowed',
    })
    await addRows(service, admin.token, [{ ptype: 'p2', role: 'rule-writer', action: 'audit:read' }])
    expect((await trial('?dry_run=true&replay=1h', writer.token)).json).to.include({
      status: 403,
      code: 'policy_denied',
      rule: 'R6',
    })
    await addRows(service, admin.token, [
      {
        ptype: 'p',
        priority: 830,
        rule: 'TEST',
        role: 'rule-writer',
        action: 'audit:read',
        reach: 'any',
        effect: 'allow',
      },
    ])
    expect((await trial('?dry_run=true&replay=1h', writer.token)).status).to.equal(200)
    // refused for what the part asks, and recorded as that
    expect(await recordsOf(writer.id, 'audit:read')).to.deep.include({
      layer: 'endpoint',
      effect: 'deny',
      rule: 'role_not_allowed',
    })
  })

  it('is recorded as a reading of the audit', async () => {
    const reader = await callers.service.addUser('admin')
    expect((await trial('?dry_run=true&replay=1h', reader.token)).status).to.equal(200)
    expect(await recordsOf(reader.id, 'audit:read')).to.deep.equal([{ layer: 'object', effect: 'allow', rule: 'R3' }])
  })
})
