import { expect } from 'chai'

import { at } from '../support/json.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

const MAY_RECORD = 'execute on function record_unexplained_policy_rows'

describe('a running process whose rows are not those of its revision', () => {
  let callers: Callers
  let service: TestService
  beforeEach(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  afterEach(() => service.stop())

  /** Changes the rows past the triggers that would note it. */
  const behindItsBack = async (...statements: readonly string[]) => {
    for (const table of ['casbin', 'policy_revisions', 'policy_head'])
      await service.db.asOwner(`alter table ${table} disable trigger user`)
    for (const text of statements) await service.db.asOwner(text)
    for (const table of ['casbin', 'policy_revisions', 'policy_head'])
      await service.db.asOwner(`alter table ${table} enable trigger user`)
  }
  const ready = () => service.request('GET', '/readyz')
  const create = () =>
    service.request('POST', '/links', { token: callers.editor.token, json: { target: 'https://example.com/' } })
  const edit = (revision: number, action = 'doc:read') =>
    service.request('POST', '/policy/changes', {
      token: callers.admin.token,
      headers: { 'If-Match': `"${revision}"` },
      json: { add: [{ ptype: 'p2', role: 'viewer', action }], remove: [], reason: 'a test' },
    })

  it('notices it, and loads them as a revision of their own', async () => {
    expect((await create()).status).to.equal(201)
    await behindItsBack(`delete from casbin where rule ->> 0 = '400'`)
    await until('the rows are loaded', () => service.policy.current().revision === 2)
    expect((await create()).json).to.include({ status: 403 })
    expect((await ready()).status).to.equal(200)
    expect((await edit(2)).status).to.equal(200)
    const { json } = await service.request('GET', '/policy/revisions/2', { token: callers.admin.token })
    expect(json).to.include({ reason: 'rows that no revision accounts for' })
  })

  it('is not ready meanwhile and says why, and answers edits with 503 or 412', async () => {
    await service.db.asOwner(`revoke ${MAY_RECORD} from ${service.db.service.user}`)
    await behindItsBack(`delete from casbin where rule ->> 0 = '400'`)
    const refused = await edit(1)
    expect(refused.json).to.include({ status: 503, code: 'policy_unavailable' })
    const answer = await ready()
    expect(answer.status).to.equal(503)
    expect(at(answer.json, 'checks', 'policy', 'fault')).to.equal(
      'the rows in the database are not those of the policy revision in force; they are being loaded',
    )
    await service.policy.refresh()
    expect((await ready()).status, 'a look that finds no newer revision is no cure').to.equal(503)
    await service.db.asOwner(`grant ${MAY_RECORD} to ${service.db.service.user}`)
    await service.policy.check()
    expect((await ready()).status).to.equal(200)
    expect((await edit(1)).json).to.include({ status: 412 })
  })

  it('stays with the last good ones where those cannot be in force, and not ready', async () => {
    await behindItsBack(`delete from casbin where rule ->> 2 = 'admin'`)
    await service.policy.check().catch(() => undefined)
    expect((await ready()).status).to.equal(503)
    expect(service.policy.status().fault).to.contain('admin-reads-policy')
    expect(service.policy.current().revision).to.equal(1)
    expect((await edit(1)).status).to.be.oneOf([412, 503])
  })

  /** As a backup of the first revision would. */
  const putBack = async () => {
    await behindItsBack(
      `delete from casbin where ptype = 'p2' and rule ->> 1 like 'doc:%'`,
      'delete from policy_revisions where revision > 1',
      'update policy_head set revision = 1',
    )
    await service.policy.check()
    expect(service.policy.current().revision).to.equal(1)
  }

  it('follows a database that was put back to an older revision', async () => {
    expect((await edit(1)).status).to.equal(200)
    await putBack()
    expect(service.policy.current().mayCall('viewer', 'doc:read')).to.equal(false)
    expect((await create()).status).to.equal(201)
    expect((await edit(1)).status).to.equal(200)
  })

  it('shows of a revision whose number was used before what it is now', async () => {
    const second = async () => (await service.request('GET', '/policy?revision=2', { token: callers.admin.token })).text
    expect((await edit(1)).status).to.equal(200)
    expect((await edit(2, 'doc:write')).status).to.equal(200)
    expect(await second()).to.include('doc:read')
    await putBack()
    expect((await edit(1, 'doc:print')).status).to.equal(200)
    expect((await edit(2, 'doc:write')).status).to.equal(200)
    expect(await second())
      .to.include('doc:print')
      .and.not.include('doc:read')
  })
})
