import { expect } from 'chai'

import { valueOf } from '../support/exposition.js'
import { at, listAt, textAt } from '../support/json.js'
import { createPause } from '../support/pause.js'
import { addLink, addManyLinks, freshCode, storedLink } from '../support/records.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'
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
const row = (priority: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  ptype: 'p',
  priority,
  rule: 'T1',
  role: 'clerk',
  action: 'link:publish',
  reach: 'own',
  effect: 'allow',
  ...fields,
})

describe('the policy over HTTP', () => {
  let callers: Callers
  let service: TestService
  const pause = createPause()

  beforeEach(async () => {
    callers = await startWithCallers({ composeLayers: pause.composeLayers })
    service = callers.service
  })
  afterEach(async () => {
    pause.always(undefined)
    await service.stop()
  })

  const asAdmin = (method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.request(method, path, { token: callers.admin.token, headers, ...(json === undefined ? {} : { json }) })
  const revision = () => service.policy.current().revision
  const edit = (add: readonly unknown[], remove: readonly unknown[], query = '', ifMatch = `"${revision()}"`) =>
    asAdmin('POST', `/policy/changes${query}`, { add, remove, reason: 'a test' }, { 'If-Match': ifMatch })

  it('an edit is in force where it was made as a load elsewhere finds it, and need not be loaded here', async () => {
    const loads = async () =>
      valueOf((await service.request('GET', '/metrics')).text, 'linkgate_policy_load_duration_seconds_count')
    const before = await loads()
    const added = [
      row(999),
      { ptype: 'p2', role: 'clerk', action: 'link:publish' },
      row(7, { role: 'user' }),
      { ptype: 'g', role: 'clerk', inherits: 'user' },
      { ptype: 'p2', role: 'clerk', action: 'link:create' },
    ]
    expect((await edit(added, [OWN_DELETE])).status).to.equal(200)
    expect((await edit([OWN_DELETE], [added[1]])).status).to.equal(200)
    for (let i = 0; i < 4; i += 1) {
      expect((await edit([], [OWN_DELETE])).status).to.equal(200)
      expect((await edit([OWN_DELETE], [])).status).to.equal(200)
    }
    const here = await asAdmin('GET', '/policy')
    // a notification that arrives before the commit's own answer has one loaded all the same
    expect((await loads()) - before).to.be.lessThan(10)
    const elsewhere = await startTestService({ db: service.db })
    try {
      const there = await elsewhere.request('GET', '/policy', { token: await elsewhere.tokenFor(callers.admin) })
      expect(here.headers.get('ETag')).to.equal('"11"')
      expect([here.headers.get('ETag'), here.text]).to.deep.equal([there.headers.get('ETag'), there.text])
    } finally {
      await elsewhere.stop()
    }
  })

  describe('promise 1: no write commits under a policy that has been replaced', () => {
    it('a delete that was allowed is decided again where the row is taken away before its commit', async () => {
      const code = await addLink(service.db, { owner: callers.editor.id })
      pause.once(async () => {
        expect((await edit([], [OWN_DELETE])).status).to.equal(200)
      })
      const answer = await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
      expect(answer.json).to.include({ status: 403, code: 'policy_denied', rule: 'R5' })
      expect(answer.headers.get('Policy-Revision')).to.equal('2')
      expect(await storedLink(service.db, code)).to.not.equal(undefined)
    })

    it('so is one whose edit was made in the database, beside this process', async () => {
      const code = await addLink(service.db, { owner: callers.editor.id })
      pause.once(() => service.db.asOwner(`delete from casbin where rule ->> 0 = '530'`))
      expect((await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })).json).to.include({
        status: 403,
        code: 'policy_denied',
      })
      expect(await storedLink(service.db, code)).to.not.equal(undefined)
    })

    it('a create, a change and a profile update are decided again, too', async () => {
      const cases = [
        ['POST', '/links', { target: 'https://example.com/', code: freshCode('late') }, 'link:create', 400],
        [
          'PATCH',
          `/links/${await addLink(service.db, { owner: callers.editor.id })}`,
          { target: 'https://example.com/late' },
          'link:update',
          401,
        ],
        ['PATCH', '/users/me', { name: 'late' }, 'profile:update', 402],
      ] as const
      for (const [method, path, json, action, priority] of cases) {
        pause.once(async () => {
          expect(
            (
              await edit(
                [row(priority === 400 ? 399 : priority, { role: 'user', action, reach: 'any', effect: 'deny' })],
                [],
              )
            ).status,
          ).to.equal(200)
        })
        const answer = await service.request(method, path, { token: callers.editor.token, json })
        expect(answer.json, `${method} ${path}`).to.include({ status: 403, code: 'policy_denied', rule: 'T1' })
      }
      expect(
        await service.db.asOwner(`select from links where code like 'late-%' or target like '%/late'`),
      ).to.have.length(0)
      expect(await service.db.asOwner(`select from users where name = 'late'`)).to.have.length(0)
    })

    it('a change that the new policy allows as well is made, and recorded under the new revision', async () => {
      const code = await addLink(service.db, { owner: callers.editor.id })
      pause.once(async () => {
        expect((await edit([row(900)], [])).status).to.equal(200)
      })
      const answer = await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
      expect(answer.status).to.equal(204)
      expect(answer.headers.get('Policy-Revision')).to.equal('2')
      expect(
        await service.db.asOwner(
          `select revision from decisions where resource_code = $1 and action = 'link:delete' and effect = 'allow'`,
          [code],
        ),
      ).to.deep.equal([{ revision: '2' }])
    })

    it('a policy that never settles is 503, and nothing is changed', async () => {
      const code = await addLink(service.db, { owner: callers.editor.id })
      let priority = 1_000
      pause.always(() =>
        service.db.asOwner(`insert into casbin (ptype, rule) values ('p', $1)`, [
          JSON.stringify([String((priority += 1)), 'T1', 'clerk', 'link:publish', 'own', 'allow']),
        ]),
      )
      const answer = await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
      expect(answer.json).to.include({ status: 503, code: 'policy_unavailable' })
      expect(answer.headers.get('Retry-After')).to.equal('1')
      expect(await storedLink(service.db, code)).to.not.equal(undefined)
    })
  })

  it('an answer names its revision; a caller may demand a revision or a newer one, and gets it or 412', async () => {
    const { token } = callers.editor
    const ask = (demanded: string) =>
      service.request('GET', '/links', { token, headers: { 'Policy-At-Least': demanded } })
    expect((await service.request('GET', '/links', { token })).headers.get('Policy-Revision')).to.equal('1')
    expect(
      (
        await service.request('DELETE', `/links/${await addLink(service.db, { owner: callers.other.id })}`, { token })
      ).headers.get('Policy-Revision'),
    ).to.equal('1')
    expect((await ask('1')).status).to.equal(200)
    expect((await ask('2')).json).to.include({ status: 412, code: 'precondition_failed' })
    for (const wrong of ['x', '-1', '1.5', '1e3', '9'.repeat(16)])
      expect((await ask(wrong)).status, wrong).to.equal(400)
    // what no policy decides about asks for none
    const unasked = await service.request('GET', '/healthz', { headers: { 'Policy-At-Least': '999' } })
    expect(unasked.status).to.equal(200)
    const gone = await service.addUser('editor')
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [gone.id])
    for (const demanded of ['2', 'x']) {
      const headers = { 'Policy-At-Least': demanded }
      const answer = await service.request('GET', '/links', { token: gone.token, headers })
      expect(answer.status, `${demanded}, from somebody who is suspended`).to.equal(401)
    }
    // an edit that this process has not heard of yet is fetched for who demands it
    await service.db.asOwner(
      `insert into casbin (ptype, rule) values ('p', '["901", "T1", "clerk", "link:publish", "own", "allow"]')`,
    )
    const fresh = await ask('2')
    expect(fresh.status).to.equal(200)
    expect(fresh.headers.get('Policy-Revision')).to.equal('2')
  })

  it('an edit comes into force also while requests wait for a connection', async () => {
    const second = await startTestService({
      db: service.db,
      environment: { JWT_SIGNING_KEY_FILE: '', DATABASE_POOL_SIZE: '2', REQUEST_DEADLINE_MS: '60000' },
    })
    const { revision } = second.policy.current()
    const all = [1, 2].map(() => second.database.run({ text: 'select pg_sleep(50)' }).catch(() => undefined))
    try {
      await service.db.asOwner(
        `insert into casbin (ptype, rule) values ('p', '["50", "T1", "anonymous", "link:read", "any", "deny"]')`,
      )
      // not asked over HTTP: the answer might wait for a connection itself
      await until('the edit is in force', () => second.policy.current().revision > revision)
    } finally {
      await service.db.asOwner(
        `select pg_cancel_backend(pid) from pg_stat_activity where query like 'select pg_sleep(50)%'`,
      )
      await Promise.all(all)
      await second.stop()
    }
  })

  it('a transfer of many links says what was done where an edit comes between its parts', async () => {
    await addManyLinks(service.db, { owner: callers.editor.id, count: 1_500, prefix: 'given-' })
    let parts = 0
    pause.always(async () => {
      parts += 1
      if (parts === 2)
        await service.db.asOwner(
          `insert into casbin (ptype, rule) values ('p', '["902", "T1", "clerk", "link:publish", "own", "allow"]')`,
        )
    })
    const transfer = () => asAdmin('POST', `/users/${callers.editor.id}/links/transfer`, { owner_id: callers.other.id })
    const first = await transfer()
    pause.always(undefined)
    const given = Number(at(first.json, 'transferred'))
    expect(given, first.text).to.be.greaterThan(0).and.lessThan(1_500)
    expect(first.json).to.include({ remaining: 1_500 - given })
    expect((await transfer()).json).to.deep.equal({ transferred: 1_500 - given, remaining: 0 })
  })

  it('a transfer of many links says what was done where its receiver goes between its parts', async () => {
    const [giver, receiver] = [await service.addUser('editor'), await service.addUser('editor')]
    await addManyLinks(service.db, { owner: giver.id, count: 1_500, prefix: 'gone-' })
    let parts = 0
    let gone: TestResponse | undefined
    pause.always(async () => {
      parts += 1
      if (parts !== 2) return
      pause.always(undefined)
      gone = await asAdmin('DELETE', `/users/${receiver.id}?links=transfer:${callers.other.id}`)
    })
    const transfer = () => asAdmin('POST', `/users/${giver.id}/links/transfer`, { owner_id: receiver.id })
    const first = await transfer()
    expect(gone?.status, gone?.text).to.equal(204)
    const given = Number(at(first.json, 'transferred'))
    expect(given, first.text).to.be.greaterThan(0).and.lessThan(1_500)
    expect(first.json).to.include({ remaining: 1_500 - given })
    expect((await transfer()).json).to.include({ status: 422 })
  })

  it('an edit made on one node binds a write on another at once', async () => {
    const second = await startTestService({ db: service.db, environment: { JWT_SIGNING_KEY_FILE: '' } })
    try {
      const code = await addLink(service.db, { owner: callers.editor.id })
      const token = await second.tokenFor(callers.editor)
      expect((await edit([], [OWN_DELETE])).status).to.equal(200)
      expect((await second.request('DELETE', `/links/${code}`, { token })).json).to.include({
        status: 403,
        code: 'policy_denied',
      })
      expect(await storedLink(service.db, code)).to.not.equal(undefined)
    } finally {
      await second.stop()
    }
  })

  it('an edit for a revision that is new to this node succeeds; for one that does not exist it is 412', async () => {
    const second = await startTestService({ db: service.db, environment: { JWT_SIGNING_KEY_FILE: '' } })
    try {
      const token = await second.tokenFor(callers.admin)
      expect((await edit([], [OWN_DELETE])).status).to.equal(200)
      const onSecond = (ifMatch: string) =>
        second.request('POST', '/policy/changes', {
          token,
          headers: { 'If-Match': ifMatch },
          json: { add: [OWN_DELETE], remove: [], reason: 'a test' },
        })
      expect((await onSecond('"99"')).status).to.equal(412)
      expect((await onSecond('"2"')).json).to.include({ revision: 3 })
      expect((await edit([], [OWN_DELETE], '', '"2", "3"')).json).to.include({ revision: 4 })
      const listed = await onSecond('"1", "4"')
      expect(listed.json, listed.text).to.include({ revision: 5 })
    } finally {
      await second.stop()
    }
  })

  it('GET /policy shows the rows in force and their revision as ETag, as JSON and as CSV; 304 on a match', async () => {
    const answer = await asAdmin('GET', '/policy')
    expect(answer.headers.get('ETag')).to.equal('"1"')
    expect(answer.json).to.include({ revision: 1, model_sha256: service.policy.current().model.sha256 })
    expect(listAt(answer.json, 'rows')).to.deep.include(OWN_DELETE)
    const csv = await asAdmin('GET', '/policy?format=csv')
    expect(csv.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8')
    expect(csv.text).to.match(/^p, ?530, ?R5, ?user, ?link:delete, ?own, ?allow$/m)
    expect((await asAdmin('GET', '/policy', undefined, { 'If-None-Match': '"1"' })).status).to.equal(304)
  })

  it('GET /policy/model is model.conf as it is, with its SHA-256', async () => {
    const answer = await asAdmin('GET', '/policy/model')
    expect(answer.text).to.equal(service.policy.current().model.text)
    expect(answer.headers.get('Model-SHA256'))
      .to.match(/^[0-9a-f]{64}$/)
      .and.equal(service.policy.current().model.sha256)
  })

  it('GET /policy/decisions is the whole decision table: each cell once, and what can() answers', async () => {
    const { json } = await asAdmin('GET', '/policy/decisions')
    const cells = listAt(json, 'decisions')
    expect(json).to.include({ revision: 1 })
    const names = cells.map((cell) => ['role', 'action', 'relation'].map((name) => textAt(cell, name)).join(' '))
    expect(new Set(names).size).to.equal(names.length)
    expect(cells.find((_, i) => names[i] === 'editor link:delete own')).to.include({ effect: 'allow', rule: 'R5' })
    expect(cells.find((_, i) => names[i] === 'editor link:delete other')).to.include({ effect: 'deny', rule: 'R5' })
    expect(cells.find((_, i) => names[i] === 'anonymous link:delete anonymous')).to.include({
      effect: 'deny',
      rule: 'R2',
    })
    const csv = (await asAdmin('GET', '/policy/decisions?format=csv')).text.trimEnd().split('\n')
    expect(csv).to.have.length(cells.length + 1)
    const part = await asAdmin('GET', '/policy/decisions?role=editor&action=link:delete')
    expect(listAt(part.json, 'decisions')).to.deep.equal(
      cells.filter((cell) => textAt(cell, 'role') === 'editor' && textAt(cell, 'action') === 'link:delete'),
    )
    for (const query of ['role=user%20', 'action=delete'])
      expect((await asAdmin('GET', `/policy/decisions?${query}`)).status, query).to.equal(400)
  })

  it('POST /policy/changes answers the new revision and each changed decision, and is in force then', async () => {
    const answer = await edit([row(900)], [])
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json).to.deep.include({ revision: 2, added: [row(900)], removed: [] })
    expect(
      listAt(answer.json, 'decisions_changed').map((change) =>
        ['role', 'action', 'relation'].map((name) => textAt(change, name)).join(' '),
      ),
    ).to.include('clerk link:publish own')
    expect(listAt(answer.json, 'decisions_changed')[0]).to.have.keys('role', 'action', 'relation', 'before', 'after')
    expect(answer.headers.get('ETag')).to.equal('"2"')
    expect((await asAdmin('GET', '/policy')).json).to.include({ revision: 2 })
  })

  it('428 without If-Match, 412 with another revision, 422 with the row and the field; nothing is stored', async () => {
    const rows = () => service.db.asOwner('select ptype, rule from casbin order by id')
    const before = await rows()
    const body = { add: [row(900)], remove: [], reason: 'a test' }
    expect((await asAdmin('POST', '/policy/changes', body)).json).to.include({
      status: 428,
      code: 'precondition_required',
    })
    for (const stale of ['"0"', '"2"', '"0", "2"', '1', 'W/"1"', '*', '"x"'])
      expect((await edit([row(900)], [], '', stale)).json, stale).to.include({
        status: 412,
        code: 'precondition_failed',
      })
    const faults: readonly (readonly [readonly unknown[], readonly unknown[], string])[] = [
      [[row(900), row(901, { effect: 'Allow' })], [], 'add.1.effect'],
      [[row(900, { role: 'no role' })], [], 'add.0.role'],
      [[row(900, { action: 'publish' })], [], 'add.0.action'],
      [[row(0)], [], 'add.0.priority'],
      [[row(900, { extra: 1 })], [], 'add.0.extra'],
      [[{ ptype: 'p3' }], [], 'add.0.ptype'],
      [[row(530)], [], 'add.0.priority'],
      [[], [row(900)], 'remove.0'],
      [['no row'], [], 'add.0'],
    ]
    for (const [add, remove, field] of faults) {
      const answer = await edit(add, remove)
      expect(answer.json, answer.text).to.include({ status: 422, code: 'validation_failed' })
      expect(
        listAt(answer.json, 'errors').map((fault) => at(fault, 'field')),
        answer.text,
      ).to.include(field)
    }
    for (const wrong of [
      { ...body, reason: '' },
      { ...body, reason: '  ' },
      { add: [], remove: [] },
      { ...body, reason: 'NUL \u0000' },
      { ...body, extra: 1 },
    ]) {
      expect((await asAdmin('POST', '/policy/changes', wrong, { 'If-Match': '"1"' })).json).to.include({ status: 422 })
    }
    expect(await rows()).to.deep.equal(before)
    expect(revision()).to.equal(1)
  })

  it('409 naming the invariant that an edit would break', async () => {
    const opened = await edit([row(1, { role: 'anyone', action: '*', reach: 'any' })], [])
    expect(opened.json).to.include({ status: 409, code: 'invariant_violated' })
    expect(opened.text).to.include('anonymous-reads-only')
    expect(revision()).to.equal(1)
    expect((await edit([row(1, { role: 'editor', action: 'link:delete', reach: 'any' })], [])).text).to.include(
      'only-admin-deletes-others',
    )
  })

  it('a dry run says what would change, and changes nothing', async () => {
    const answer = await edit([], [OWN_DELETE], '?dry_run=true')
    expect(answer.json).to.include({ revision: 1, dry_run: true })
    expect(listAt(answer.json, 'decisions_changed')).to.have.length.of.at.least(1)
    expect(revision()).to.equal(1)
    expect(await service.db.asOwner('select from policy_revisions')).to.have.length(1)
  })

  it('a dry run warns of a role that is written nowhere else, and names the nearest', async () => {
    const auditors = ['link:read', 'audit:read'].map((action) => ({ ptype: 'p2', role: 'auditor', action }))
    expect((await edit(auditors, [])).status).to.equal(200)
    const warnings = async (role: string) =>
      at((await edit([{ ptype: 'p2', role, action: 'link:read' }], [], '?dry_run=true')).json, 'warnings')
    expect(await warnings('auditr')).to.deep.equal([
      {
        role: 'auditr',
        nearest: 'auditor',
        message: 'the role auditr is written nowhere else; did you mean auditor?',
      },
    ])
    expect(await warnings('viewer')).to.deep.equal([])
    await service.addUser('notary')
    expect(await warnings('notary')).to.deep.equal([])
  })

  it('roles that would inherit each other are 422, naming each row of the loop', async () => {
    const g = (role: string, inherits: string) => ({ ptype: 'g', role, inherits })
    const both = await edit([g('clerk', 'notary'), row(900), g('notary', 'clerk')], [])
    expect(both.json).to.include({ status: 422, code: 'validation_failed' })
    expect(listAt(both.json, 'errors')).to.deep.equal([
      { field: 'add.0.inherits', message: 'closes a loop of roles: clerk > notary > clerk' },
      { field: 'add.2.inherits', message: 'closes a loop of roles: notary > clerk > notary' },
    ])
    expect((await edit([g('a', 'b'), g('b', 'c')], [])).status).to.equal(200)
    expect((await edit([g('c', 'a')], [])).text).to.include('closes a loop of roles: c > a > b > c')
    expect((await edit([g('c', 'a')], [g('a', 'b')])).status).to.equal(200)
  })

  it('of two edits of one revision one is made, and the other is 412', async () => {
    const answers = await Promise.all([edit([row(900)], [], '', '"1"'), edit([row(901)], [], '', '"1"')])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412])
    expect(revision()).to.equal(2)
  })

  it('the history says who, when and why; a restore makes the rows what they were, as a new revision', async () => {
    const rows = async () => listAt((await asAdmin('GET', '/policy')).json, 'rows')
    const first = await rows()
    expect((await edit([row(900)], [OWN_DELETE])).status).to.equal(200)
    const { json } = await asAdmin('GET', '/policy/revisions')
    expect(listAt(json, 'data').map((each) => at(each, 'revision'))).to.deep.equal([2, 1])
    expect(at(json, 'data', 0)).to.deep.include({
      revision: 2,
      reason: 'a test',
      added: [row(900)],
      removed: [OWN_DELETE],
    })
    expect(at(json, 'data', 0, 'actor')).to.deep.equal({ id: callers.admin.id, name: callers.admin.email })
    expect((await asAdmin('GET', '/policy/revisions/2')).json)
      .to.have.property('decisions_changed')
      .that.is.an('array')
    expect((await asAdmin('GET', '/policy/revisions/3')).status).to.equal(404)
    expect((await asAdmin('GET', '/policy/revisions/x')).status).to.equal(404)
    expect((await asAdmin('POST', '/policy/revisions/9/restore', {})).status).to.equal(404)
    expect((await asAdmin('POST', '/policy/revisions/1/restore', {}, { 'If-Match': '"1"' })).status).to.equal(412)
    const restored = await service.request('POST', '/policy/revisions/1/restore', { token: callers.admin.token })
    expect(restored.json, restored.text).to.include({ revision: 3 })
    expect(await rows()).to.deep.equal(first)
  })

  it('the rows of an earlier revision stand in the order in which they are asked', async () => {
    const rows = async (revision: number) => listAt((await asAdmin('GET', `/policy?revision=${revision}`)).json, 'rows')
    const before = await rows(1)
    expect((await edit([{ ...OWN_DELETE, priority: 531 }], [OWN_DELETE])).status).to.equal(200)
    expect(await rows(1)).to.deep.equal(before)
  })

  it('a revision that was made in the database says which decisions it changed, once somebody asks', async () => {
    await service.db.asOwner(
      `insert into casbin (ptype, rule) values
         ('p', '["305", "HAND", "editor", "audit:read", "any", "allow"]'), ('p2', '["editor", "audit:read"]')`,
    )
    await service.policy.refresh()
    const { json } = await asAdmin('GET', '/policy/revisions/2')
    const { json: compared } = await asAdmin('GET', '/policy/comparison?from=1&to=2')
    expect(listAt(json, 'decisions_changed')).to.deep.equal(listAt(compared, 'decisions_changed'))
    expect(listAt(json, 'decisions_changed').map((each) => at(each, 'after', 'rule'))).to.deep.equal(['HAND', 'HAND'])
    const [logged] = await service.db.asOwner<{ change: unknown }>(
      `select change from decisions where kind = 'policy' and resource_code = '2'`,
    )
    expect(logged?.change, 'the log does not say that none did').to.not.have.property('decisions_changed')
  })

  it('rows that cannot be in force are no revision to look at, and 503 for who would edit them', async () => {
    const loop = Array.from({ length: 12 }, (_, i) => `('g', '["deep${i}", "deep${i + 1}"]')`)
    await service.db.asOwner(`insert into casbin (ptype, rule) values ${loop.join()}`)
    for (const path of ['/policy?revision=2', '/policy/comparison?from=1&to=2'])
      expect((await asAdmin('GET', path)).json, path).to.include({ status: 404, code: 'not_found' })
    const edited = await edit([row(900)], [], '', '"2"')
    expect(edited.json).to.include({ status: 503, code: 'policy_unavailable' })
    expect((await asAdmin('POST', '/policy/revisions/1/restore', {})).status, 'the way out').to.equal(200)
    expect((await asAdmin('GET', '/policy?revision=2')).status, 'afterwards as well').to.equal(404)
    expect((await asAdmin('GET', '/policy/revisions/2')).json).to.include({ decisions_changed: null })
  })

  it('has its revision in the log under its request', async () => {
    const edited = await edit([row(900)], [], '', '"1"')
    expect(edited.status, edited.text).to.equal(200)
    const request = String(edited.headers.get('X-Request-ID'))
    const { json } = await asAdmin('GET', `/audit/timeline?kind=policy&request=${request}`)
    expect(at(json, 'data', 0)).to.deep.include({ subject: { id: callers.admin.id, role: 'admin', network: null } })
    expect(at(json, 'data', 0, 'change'))
      .to.include({ what: 'revision', actor_id: callers.admin.id })
      .and.not.have.property('by')
  })

  it('counts the revisions up to a time as it lists them', async () => {
    const { json } = await asAdmin('GET', '/policy/revisions?count=true&until=1990-01-01T00:00:00Z')
    expect(json).to.deep.include({ data: [], count: 0 })
  })

  it('has a revision among those made by the time that it shows', async () => {
    // shown to the millisecond, stored to the microsecond
    await service.db.asOwner(`update policy_revisions set time = '2026-01-01T00:00:00.000999Z' where revision = 1`)
    const time = '2026-01-01T00:00:00.000Z'
    const { json } = await asAdmin('GET', `/policy/revisions?count=true&until=${time}`)
    expect(at(json, 'data', 0)).to.include({ revision: 1, time })
    expect(json).to.include({ count: 1 })
  })

  it('explains no question that nobody can ask: a suspended user owns nothing', async () => {
    const { id } = await service.addUser('editor')
    expect((await asAdmin('PATCH', `/users/${id}`, { suspended: true })).status).to.equal(200)
    const answer = await asAdmin('GET', `/policy/explanation?user=${id}&action=link:read&relation=own`)
    expect(answer.json).to.deep.include({
      status: 400,
      errors: [{ field: 'relation', message: 'is anonymous for the role anonymous' }],
    })
  })

  it('an edit is recorded with the decision that allowed it', async () => {
    await edit([row(900)], [])
    expect(
      await service.db.asOwner(
        `select subject_id, action, rule, effect, revision from decisions
          where action = 'policy:write' and resource_code = '2'`,
      ),
    ).to.deep.equal([
      { subject_id: callers.admin.id, action: 'policy:write', rule: 'R3', effect: 'allow', revision: '1' },
    ])
  })

  it('neither history nor log holds the address of who made an edit', async () => {
    await edit([row(900)], [])
    const [stored] = await service.db.asOwner<{ text: string }>(
      `select string_agg(t, ' ') as text
         from (select p::text from policy_revisions p union all select d::text from decisions d) every(t)`,
    )
    expect(stored?.text).to.include('a test').and.not.to.include(callers.admin.email)
  })
})
