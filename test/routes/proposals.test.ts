import { expect } from 'chai'
import { Client } from 'pg'

import { ADVISORY_LOCKS } from '../../src/database/advisory-locks.js'
import { addRows, editPolicy } from '../support/edit-policy.js'
import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const ROW = { ptype: 'p2', role: 'clerk', action: 'link:read' }
const OTHER = { ptype: 'p2', role: 'clerk', action: 'link:create' }
const OWN_DELETE = {
  ptype: 'p',
  priority: 530,
  rule: 'R5',
  role: 'user',
  action: 'link:delete',
  reach: 'own',
  effect: 'allow',
}

describe('edits in two pairs of hands (POLICY_APPROVALS=1)', () => {
  let service: TestService
  /** another process of the same installation */
  let other: TestService
  /** one that asks for no approval: for edits meanwhile */
  let plain: TestService
  let ada: TestUser
  let ben: TestUser
  let cleo: TestUser
  beforeEach(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder(), POLICY_APPROVALS: '1' }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
    plain = await startTestService({ environment: { ...environment, POLICY_APPROVALS: '0' }, db: service.db })
    ;[ada, ben, cleo] = await Promise.all([
      service.addUser('admin'),
      service.addUser('admin'),
      service.addUser('admin'),
    ])
  })
  afterEach(async () => {
    await Promise.all([service.stop(), other.stop(), plain.stop()])
  })

  const revision = async () => (await service.policy.refresh()).revision
  const get = async (path: string, by = ada) => (await service.request('GET', path, { token: by.token })).json
  const change = async (by: Pick<TestUser, 'token'>, json: object, query = '') =>
    service.request('POST', `/policy/changes${query}`, {
      token: by.token,
      headers: { 'If-Match': `"${await revision()}"` },
      json: { reason: 'a test', ...json },
    })
  const idOf = (answer: TestResponse): string => {
    expect(answer.status, answer.text).to.equal(202)
    return textAt(at(answer.json, 'proposal'), 'id')
  }
  const propose = async (by: TestUser, add: readonly object[] = [ROW], remove: readonly object[] = []) =>
    idOf(await change(by, { add, remove }))
  const decide = (how: string, id: string, by: Pick<TestUser, 'token'>, on = service, json: object = {}) =>
    on.request('POST', `/policy/proposals/${id}/${how}`, { token: by.token, json })
  const approve = (id: string, by: Pick<TestUser, 'token'>, on = service) => decide('approve', id, by, on)
  const decline = (id: string, by: TestUser, on = service) => decide('decline', id, by, on, { reason: 'not now' })
  const withdraw = (id: string, by: TestUser) =>
    service.request('DELETE', `/policy/proposals/${id}`, { token: by.token })
  const patch = async ({ id }: TestUser, json: object, by = cleo) =>
    expect((await service.request('PATCH', `/users/${id}`, { token: by.token, json })).status).to.equal(200)
  const stateOf = async (id: string) => at(await get(`/policy/proposals/${id}`), 'state')
  const rowsOf = async (role: string) => {
    await revision()
    return listAt(await get('/policy'), 'rows').filter((row) => at(row, 'role') === role)
  }
  /** The log's entries about the policy, oldest first. */
  const logged = () =>
    service.db.asOwner<{ code: string; change: unknown; subject_id: string | null; request_id: string }>(
      `select resource_code as code, change, subject_id, request_id from decisions
        where kind = 'policy' and revision > 0 order by id`,
    )
  /** Runs work while every change of the policy waits, until so many do. */
  const whileLocked = async <T>(waiting: readonly (() => Promise<T>)[], work: () => Promise<unknown>) => {
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.policy])
      const answers = waiting.map((each) => each())
      await lockWaiters(service.db.asOwner, waiting.length)
      await work()
      await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.policy])
      return await Promise.all(answers)
    } finally {
      await client.end()
    }
  }

  it('an edit is proposed, and takes force when another approves it; both stand in history and log', async () => {
    const answer = await change(ada, { add: [{ ...ROW, comment: 'the till' }], reason: 'clerks read' })
    const id = idOf(answer)
    expect(answer.json).to.deep.include({ revision: 1, added: [ROW], removed: [] })
    expect(at(answer.json, 'proposal')).to.deep.include({
      state: 'open',
      actor: { id: ada.id, name: ada.email },
      reason: 'clerks read',
      base: 1,
      closed: null,
      revision: null,
    })
    expect([await revision(), await rowsOf('clerk')]).to.deep.equal([1, []])

    const approved = await decide('approve', id, ben, service, { reason: 'as agreed' })
    expect(approved.status, approved.text).to.equal(200)
    expect(approved.headers.get('ETag')).to.equal('"2"')
    expect(approved.json).to.deep.include({ revision: 2, added: [ROW] })
    expect(await rowsOf('clerk')).to.deep.equal([{ ...ROW, comment: 'the till' }])
    expect(await get('/policy/revisions/2')).to.deep.include({
      actor: { id: ada.id, name: ada.email },
      approved_by: { id: ben.id, name: ben.email },
      proposal: id,
      reason: 'clerks read',
      without_approval: false,
    })
    const shown = await get(`/policy/proposals/${id}`)
    expect(shown).to.deep.include({ state: 'applied', revision: 2, against: null })
    expect(at(shown, 'closed')).to.deep.include({ actor: { id: ben.id, name: ben.email }, reason: 'as agreed' })

    const entries = await logged()
    expect(entries.map(({ code }) => code)).to.deep.equal([`proposal-${id}`, '2', `proposal-${id}`])
    expect(entries[0]).to.deep.include({ subject_id: ada.id })
    expect(entries[0]?.change).to.include({ what: 'proposed', actor_id: ada.id, reason: 'clerks read', added: 1 })
    expect(entries[1]?.change).to.include({ what: 'revision', actor_id: ada.id, approved_by: ben.id, proposal: id })
    expect(entries[2]?.change).to.include({ what: 'approved', actor_id: ben.id, reason: 'as agreed', revision: 2 })
    for (const entry of entries.slice(1)) {
      expect(entry).to.include({ subject_id: ben.id, request_id: approved.headers.get('X-Request-ID') })
      expect(entry.change, 'a request made it').not.to.have.property('by')
    }
    expect(
      await service.db.asOwner(
        `select subject_id, resource_type, resource_code, status from decisions
          where kind = 'decision' and action = 'policy:write' and effect = 'allow' order by id`,
      ),
    ).to.deep.equal([
      { subject_id: ada.id, resource_type: 'policy_proposal', resource_code: id, status: 202 },
      { subject_id: ben.id, resource_type: 'policy', resource_code: '2', status: 200 },
    ])
  })

  it('who reads the policy reads whether an edit waits for somebody else', async () => {
    expect(at(await get('/policy'), 'needs_approval')).to.equal(true)
    const { json } = await plain.request('GET', '/policy', { token: ada.token })
    expect(at(json, 'needs_approval')).to.equal(false)
  })

  it('the checks of an edit come before its proposal, and what fails or changes nothing makes none', async () => {
    const write = { token: ada.token, json: { add: [ROW], reason: 'a test' } }
    expect((await service.request('POST', '/policy/changes', write)).status).to.equal(428)
    expect(
      (await service.request('POST', '/policy/changes', { ...write, headers: { 'If-Match': '"7"' } })).status,
    ).to.equal(412)
    const open = { ...OWN_DELETE, priority: 1, role: 'anyone', reach: 'any' }
    expect((await change(ada, { add: [open] })).json).to.include({ code: 'invariant_violated' })
    expect((await change(ada, { add: [{ ...ROW, role: 'No' }] })).status).to.equal(422)
    expect((await change(ada, { add: [{ ...ROW, role: 'viewer' }] })).json).to.include({ revision: 1 })
    expect((await change(ada, { add: [ROW] }, '?dry_run=true')).json).to.include({ dry_run: true })
    expect((await change(await service.addUser('editor'), { add: [ROW] })).status).to.equal(403)
    expect(await get('/policy/proposals')).to.deep.equal({ data: [], next_cursor: null })
  })

  it('nobody decides about their own, with a personal token neither; others do not withdraw it', async () => {
    const id = await propose(ada)
    const made = await service.request('POST', '/users/me/tokens', {
      token: ada.token,
      json: { name: 'a second hand', scopes: ['policy:write'] },
    })
    const hands = [ada, { ...ada, token: textAt(made.json, 'token') }]
    for (const hand of hands) {
      expect((await approve(id, hand)).json).to.include({ status: 403, code: 'own_proposal' })
      expect((await decline(id, hand)).json).to.include({ status: 403, code: 'own_proposal' })
    }
    expect(at((await decline(id, ada)).json, 'detail')).to.match(/DELETE/)
    expect((await withdraw(id, ben)).json).to.include({ status: 403, code: 'others_proposal' })
    expect(await stateOf(id)).to.equal('open')
    const refused = (await approve(id, ada)).headers.get('X-Request-ID')
    const explained = await until('the refusal is recorded', async () => {
      const answer = await service.request('GET', `/audit/requests/${refused}`, { token: ben.token })
      return answer.status === 200 && answer.text
    })
    expect(explained).to.contain('nobody decides about their own proposal')
    // nor by SQL as the role that edits
    for (const [state, closer] of [
      ['declined', ada.id],
      ['withdrawn', ben.id],
    ])
      await service.db
        .asOwner(
          `update policy_proposals set state = $1, closer_id = $2, closed_at = now(), revision = null where id = $3`,
          [state, closer, id],
        )
        .then(
          () => expect.fail(state),
          (error: unknown) => expect(String(error)).to.contain('policy_proposals_check'),
        )
  })

  it('is declined with a reason, or withdrawn, and then closed for good', async () => {
    const declined = await propose(ada)
    expect((await decide('decline', declined, ben)).status).to.equal(422)
    expect((await decline(declined, ben)).json).to.include({ state: 'declined' })
    const withdrawn = await propose(ada)
    expect((await withdraw(withdrawn, ada)).status).to.equal(204)
    for (const id of [declined, withdrawn]) {
      expect((await approve(id, cleo)).json).to.include({ status: 409, code: 'proposal_closed' })
      expect((await decline(id, cleo)).json).to.include({ status: 409, code: 'proposal_closed' })
      expect((await withdraw(id, ada)).json).to.include({ status: 409, code: 'proposal_closed' })
    }
    expect(await revision()).to.equal(1)
    const changes = (await logged()).map(({ change: each }) => [at(each, 'what'), at(each, 'actor_id')])
    expect(changes).to.deep.equal([
      ['proposed', ada.id],
      ['declined', ben.id],
      ['proposed', ada.id],
      ['withdrawn', ada.id],
    ])
  })

  it('proposals are listed in pages, by state, and read by whoever reads the policy', async () => {
    const ids = [await propose(ada), await propose(ben), await propose(cleo)]
    await decline(ids[1] ?? '', ada)
    const first = await get('/policy/proposals?limit=2&count=true')
    expect(listAt(first, 'data').map((each) => at(each, 'id'))).to.deep.equal([ids[2], ids[1]])
    expect(at(first, 'count')).to.equal(3)
    const next = await get(`/policy/proposals?limit=2&cursor=${textAt(first, 'next_cursor')}`)
    expect(listAt(next, 'data').map((each) => at(each, 'id'))).to.deep.equal([ids[0]])
    expect(at(next, 'next_cursor')).to.equal(null)
    const open = await get('/policy/proposals?state=open')
    expect(listAt(open, 'data').map((each) => at(each, 'id'))).to.deep.equal([ids[2], ids[0]])
    expect((await service.request('GET', '/policy/proposals?state=lost', { token: ada.token })).status).to.equal(400)

    await addRows(plain, ada.token, [
      { ptype: 'p2', role: 'auditor', action: 'policy:read' },
      { ...OWN_DELETE, priority: 810, role: 'auditor', action: 'policy:read', reach: 'any' },
    ])
    await revision()
    const reader = await service.addUser('auditor')
    expect(at(await get(`/policy/proposals/${ids[0]}`, reader), 'state')).to.equal('open')
    expect((await approve(ids[0] ?? '', reader)).json).to.include({ status: 403, code: 'role_not_allowed' })
    const reading = await service.tokenFor(ben, 'policy:read')
    expect((await approve(ids[0] ?? '', { token: reading })).json).to.include({ code: 'insufficient_scope' })
  })

  it('outlives a restart, and is approved on another process', async () => {
    const id = await propose(ada)
    await service.stop()
    service = await startTestService({ db: service.db, environment: { DATA_DIR: await makeTemporaryFolder() } })
    const token = await service.tokenFor(ben)
    expect((await approve(id, { token })).json).to.include({ revision: 2 })
    expect((await other.policy.refresh()).revision).to.equal(2)
  })

  it('of two who approve it at once one does, and it is applied once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await revision()
      const id = await propose(ada, [{ ...ROW, role: `clerk${round}` }])
      const answers = await whileLocked([() => approve(id, ben), () => approve(id, cleo, other)], async () => undefined)
      expect(answers.map(({ status }) => status).sort(), answers.map(({ text }) => text).join()).to.deep.equal([
        200, 409,
      ])
      expect(answers.find(({ status }) => status === 409)?.json).to.include({ code: 'proposal_closed' })
      expect(await revision()).to.equal(before + 1)
    }
  })

  it('of an approval and what else closes it, at once, one holds', async () => {
    const rivals = [(id: string) => decline(id, cleo, other), (id: string) => withdraw(id, ada)]
    for (const [round, rival] of rivals.entries()) {
      const before = await revision()
      const id = await propose(ada, [{ ...ROW, role: `clerk${round}` }])
      const answers = await whileLocked<TestResponse>([() => approve(id, ben), () => rival(id)], async () => undefined)
      const [approved] = answers
      expect(answers.map(({ status }) => status).sort()[1], answers.map(({ text }) => text).join()).to.equal(409)
      expect([200, 409]).to.include(approved?.status)
      expect(await revision()).to.equal(before + (approved?.status === 200 ? 1 : 0))
      expect(await stateOf(id)).to.equal(approved?.status === 200 ? 'applied' : ['declined', 'withdrawn'][round])
    }
  })

  it('is planned anew after an edit meanwhile: both hold, and it is shown against what is in force', async () => {
    const id = await propose(ada, [ROW], [OWN_DELETE])
    await addRows(plain, cleo.token, [OTHER])
    await revision()
    const shown = await get(`/policy/proposals/${id}`)
    expect(at(shown, 'base')).to.equal(1)
    expect(at(shown, 'against')).to.deep.include({ revision: 2, added: [ROW], removed: [OWN_DELETE] })
    expect(listAt(at(shown, 'against'), 'decisions_changed')).to.have.length.of.at.least(2)
    const stale = await service.request('POST', `/policy/proposals/${id}/approve`, {
      token: ben.token,
      headers: { 'If-Match': '"1"' },
      json: {},
    })
    expect(stale.status, 'who wants to approve it under the revision that they saw').to.equal(412)
    expect((await approve(id, ben, other)).json).to.include({ revision: 3 })
    expect(await rowsOf('clerk')).to.deep.equal([OTHER, ROW])
  })

  it('an edit that commits while an approval waits has it decided again', async () => {
    const id = await propose(ada)
    const add = { add: [OTHER], reason: 'meanwhile' }
    const answers = await whileLocked(
      [
        () =>
          plain.request('POST', '/policy/changes', { token: cleo.token, headers: { 'If-Match': '"1"' }, json: add }),
        () => approve(id, ben),
      ],
      async () => undefined,
    )
    const [edited, approved] = answers
    expect(approved?.status, approved?.text).to.equal(200)
    expect(edited?.status).to.be.oneOf([200, 412])
    expect(await rowsOf('clerk')).to.deep.include(ROW)
  })

  it('says what stands in its way now, and is not applied: rows and comments that others changed', async () => {
    const commented = await propose(ada, [{ ...ROW, role: 'viewer', comment: 'mine' }])
    const removing = await propose(ada, [], [OWN_DELETE])
    const taking = await propose(ada, [{ ...OWN_DELETE, priority: 531, role: 'clerk' }])
    const same = await propose(ada, [OTHER])
    const edit = {
      add: [{ ...ROW, role: 'viewer', comment: 'theirs' }, { ...OWN_DELETE, priority: 531, rule: 'X' }, OTHER],
      remove: [OWN_DELETE],
      reason: 'meanwhile',
    }
    const headers = { 'If-Match': '"1"' }
    expect(
      (await plain.request('POST', '/policy/changes', { token: cleo.token, headers, json: edit })).status,
    ).to.equal(200)
    await revision()
    const ways = [
      [commented, 'since: p2, viewer, link:read: the comment of the row has changed.'],
      [removing, 'since: p, 530, R5, user, link:delete, own, allow: is not a row of the policy.'],
      [taking, 'since: p, 531, R5, clerk, link:delete, own, allow: 531 is the priority of another row'],
      [same, 'the rows in force already match it'],
    ] as const
    for (const [id, says] of ways) {
      const problem = at(at(await get(`/policy/proposals/${id}`), 'against'), 'problem')
      expect(problem).to.include({ code: 'proposal_conflicts' })
      expect(JSON.stringify(problem)).to.contain(says)
      const answer = await approve(id, ben)
      expect(answer.json).to.include({ status: 409, code: 'proposal_conflicts' })
      expect(answer.text).to.contain(says)
      expect((await decline(id, ben)).status).to.equal(200)
    }
    expect(await revision()).to.equal(2)
  })

  const losses: Readonly<Record<string, () => Promise<unknown>>> = {
    suspended: () => patch(ada, { suspended: true }),
    demoted: () => patch(ada, { role: 'editor' }),
    deleted: () => service.request('DELETE', `/users/${ada.id}?links=delete`, { token: cleo.token }),
  }
  for (const [how, lose] of Object.entries(losses))
    it(`is not applied once its maker was ${how}`, async () => {
      const id = await propose(ada)
      await lose()
      const problem = at(at(await get(`/policy/proposals/${id}`, ben), 'against'), 'problem')
      expect(problem).to.include({ code: 'proposer_lost_rights' })
      expect((await approve(id, ben)).json).to.include({ status: 409, code: 'proposer_lost_rights' })
      expect([await revision(), at(await get(`/policy/proposals/${id}`, ben), 'state')]).to.deep.equal([1, 'open'])
      expect((await decline(id, ben)).status).to.equal(200)
    })

  it('is not applied where its maker loses their rights while the approval waits for its commit', async () => {
    for (const loss of [`suspended_at = now()`, `role = 'viewer'`]) {
      const maker = await service.addUser('admin')
      const id = await propose(maker)
      const [answer] = await whileLocked([() => approve(id, ben)], () =>
        service.db.asOwner(`update users set ${loss} where id = $1`, [maker.id]),
      )
      expect(answer?.json, loss).to.include({ status: 409, code: 'proposer_lost_rights' })
      expect([await revision(), await stateOf(id)]).to.deep.equal([1, 'open'])
    }
  })

  it('nor where its approver does', async () => {
    for (const [loss, status] of [
      [`suspended_at = now()`, 401],
      [`role = 'viewer'`, 403],
    ] as const) {
      const id = await propose(ada)
      const approver = await service.addUser('admin')
      const [answer] = await whileLocked([() => approve(id, approver)], () =>
        service.db.asOwner(`update users set ${loss} where id = $1`, [approver.id]),
      )
      expect(answer?.status, answer?.text).to.equal(status)
      expect([await revision(), await stateOf(id)]).to.deep.equal([1, 'open'])
    }
  })

  it('a proposal, a decline and a withdrawal that wait are not made by who lost their rights, either', async () => {
    const suspend = (user: TestUser) => () =>
      service.db.asOwner('update users set suspended_at = now() where id = $1', [user.id])
    const first = await propose(ada)
    const acts = [(by: TestUser) => change(by, { add: [ROW] }), (by: TestUser) => decline(first, by)]
    for (const act of acts) {
      const by = await service.addUser('admin')
      const [answer] = await whileLocked([() => act(by)], suspend(by))
      expect(answer?.status, answer?.text).to.equal(401)
    }
    const [answer] = await whileLocked([() => withdraw(first, ada)], suspend(ada))
    expect(answer?.status).to.equal(401)
    const all = await service.db.asOwner<{ state: string }>('select state from policy_proposals')
    expect(all).to.deep.equal([{ state: 'open' }])
  })

  it('no approval reaches beyond the rights of its approver, or of its maker as they are now', async () => {
    const row = { ...OWN_DELETE, rule: 'T', reach: 'any' }
    await addRows(plain, ada.token, [
      { ...row, priority: 811, role: 'warden', action: 'policy:write' },
      { ...row, priority: 812, role: 'warden', action: 'policy:read' },
      { ptype: 'p2', role: 'warden', action: 'policy:write' },
      { ptype: 'p2', role: 'warden', action: 'policy:read' },
    ])
    await revision()
    const warden = await service.addUser('warden')
    const users = [{ ...row, priority: 821, role: 'clerk', action: 'user:read' }]
    const id = await propose(ada, users)
    expect((await approve(id, warden)).json).to.include({ status: 403, code: 'beyond_own_rights' })
    await patch(ada, { role: 'warden' })
    const answer = await approve(id, ben)
    expect(answer.json).to.include({ status: 409, code: 'proposer_lost_rights' })
    expect(answer.text).to.contain('the role warden may not do itself')
    const within = await propose(warden, [{ ptype: 'p2', role: 'clerk', action: 'policy:read' }])
    expect((await approve(within, ben)).status).to.equal(200)
  })

  it('nor once the role of its maker has lost either of the two rows that let it edit the policy', async () => {
    const may = { ...OWN_DELETE, rule: 'T', reach: 'any' }
    const endpoint = (role: string) => ({ ptype: 'p2', role, action: 'policy:write' })
    const object = (priority: number, role: string) => ({ ...may, priority, role, action: 'policy:write' })
    const allOf = (role: string, priority: number) => [
      endpoint(role),
      object(priority, role),
      { ptype: 'p2', role, action: 'policy:read' },
      { ...may, priority: priority + 1, role, action: 'policy:read' },
    ]
    await addRows(plain, ada.token, [...allOf('warden', 811), ...allOf('keeper', 821)])
    await revision()
    // a row that both may give away, before and after the loss: nothing else stands in the way
    const add = [{ ptype: 'p2', role: 'clerk', action: 'policy:read' }]
    for (const [role, lost] of [
      ['warden', endpoint('warden')],
      ['keeper', object(821, 'keeper')],
    ] as const) {
      const id = await propose(await service.addUser(role), add)
      expect(at(await get(`/policy/proposals/${id}`), 'against')).to.deep.include({ added: add })
      await editPolicy(plain, cleo.token, { remove: [lost] })
      const before = await revision()
      const answer = await approve(id, ben)
      expect(answer.json, role).to.include({ status: 409, code: 'proposer_lost_rights' })
      expect(answer.text).to.contain(`the role ${role}, which may not edit the policy`)
      expect([await revision(), await stateOf(id)]).to.deep.equal([before, 'open'])
    }
  })

  it('a restore is proposed as the rows and comments that it changes', async () => {
    await addRows(plain, ada.token, [{ ...ROW, comment: 'the till' }])
    await revision()
    const answer = await service.request('POST', '/policy/revisions/1/restore', { token: ada.token, json: {} })
    const id = idOf(answer)
    expect(at(answer.json, 'proposal')).to.deep.include({
      reason: 'restore revision 1',
      removed: [ROW],
      comments: [{ row: ROW, before: 'the till', after: null }],
    })
    await addRows(plain, ada.token, [OTHER])
    expect((await approve(id, ben)).json).to.include({ revision: 4 })
    expect(await rowsOf('clerk'), 'an edit meanwhile stays').to.deep.equal([OTHER])
  })

  it('nothing is proposed while the stored rows cannot be in force', async () => {
    const id = await propose(ada)
    await service.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["clerk", "no such:action", "more"]')`)
    await service.policy.refresh().catch(() => undefined)
    const restore = await service.request('POST', '/policy/revisions/1/restore', { token: ada.token, json: {} })
    expect(restore.json).to.include({ status: 503, code: 'policy_unavailable' })
    expect((await approve(id, ben)).json).to.include({ status: 503, code: 'policy_unavailable' })
  })
})
