import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { formatPolicyCsv } from '../../src/policy/csv.js'
import { at, listAt } from '../support/json.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

const READ = { ptype: 'p2', role: 'clerk', action: 'link:read' }
const EARLY = {
  ptype: 'p',
  priority: 505,
  rule: 'X',
  role: 'clerk',
  action: 'link:publish',
  reach: 'own',
  effect: 'allow',
}
const TEXT = 'for the till\n#, "second" line, =1'

describe('comments of rows', () => {
  let service: TestService
  let admin: TestUser
  beforeEach(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
  })
  afterEach(() => service.stop())

  const get = async (path: string) => (await service.request('GET', path, { token: admin.token })).json
  const send = (json: unknown, query = '') =>
    service.request('POST', `/policy/changes${query}`, {
      token: admin.token,
      headers: { 'If-Match': `"${service.policy.current().revision}"` },
      json,
    })
  const edit = async (add: readonly unknown[], remove: readonly unknown[] = []) => {
    const answer = await send({ add, remove, reason: 'a test' })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json
  }
  const restore = async (revision: number) => {
    const answer = await service.request('POST', `/policy/revisions/${revision}/restore`, {
      token: admin.token,
      json: {},
    })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json
  }
  /** What is said of a role's rows, by this process and by one that loads the policy anew. */
  const said = async (role = 'clerk') => {
    const ofRole = (rows: readonly unknown[]) =>
      rows.flatMap((row) => (at(row, 'role') === role ? [at(row, 'comment') ?? null] : []))
    const here = ofRole(listAt(await get('/policy'), 'rows'))
    const elsewhere = await startTestService({ db: service.db })
    try {
      const token = await elsewhere.tokenFor(admin)
      const there = await elsewhere.request('GET', '/policy', { token })
      expect(ofRole(listAt(there.json, 'rows'))).to.deep.equal(here)
    } finally {
      await elsewhere.stop()
    }
    return here
  }
  const asLogin = async (sql: string) => {
    const client = new Client(service.db.service)
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  const ofRevision = async (revision: number) => listAt(await get(`/policy/revisions/${revision}`), 'comments')
  const csv = async () => (await service.request('GET', '/policy?format=csv', { token: admin.token })).text

  it('a new installation has those of policies/default.csv, and exports that file to the byte', async () => {
    const shipped = await readFile(new URL('policies/default.csv', PACKAGE_ROOT), 'utf8')
    expect(await csv()).to.equal(shipped)
    expect(formatPolicyCsv(service.policy.current())).to.equal(shipped)
    expect(await ofRevision(1)).to.have.length(shipped.match(/(?<=\n\n)(?:#.*\n)+(?=\w)/g)?.length ?? 0)
  })

  it('come with a row, change alone, go alone, and go with their row; each time a revision says so', async () => {
    expect(at(await edit([{ ...READ, comment: TEXT }]), 'comments')).to.deep.equal([
      { row: READ, before: null, after: TEXT },
    ])
    expect(await said()).to.deep.equal([TEXT])
    const changed = await edit([{ ...READ, comment: 'other\r\nwords' }])
    expect(changed).to.deep.include({
      added: [],
      removed: [],
      decisions_changed: [],
      comments: [{ row: READ, before: TEXT, after: 'other\nwords' }],
    })
    expect(at(await edit([READ]), 'revision'), 'a row without one leaves it as it is').to.equal(3)
    expect(at(await edit([{ ...READ, comment: 'other\nwords' }]), 'revision')).to.equal(3)
    await edit([{ ...READ, comment: '' }])
    expect(await said()).to.deep.equal([null])
    await edit([{ ...READ, comment: TEXT }])
    await edit([], [READ])
    expect(await ofRevision(6)).to.deep.equal([{ row: READ, before: TEXT, after: null }])
    await edit([READ])
    expect(await said(), 'none waited for the row').to.deep.equal([null])
    const [entry] = await service.db.asOwner<{ change: unknown }>(
      `select change from decisions where kind = 'policy' and resource_code = '3'`,
    )
    expect(entry?.change).to.deep.include({ what: 'revision', added: 0, comments: 1 })
  })

  it('a row that moves takes along the one that is sent with it', async () => {
    await edit([{ ...EARLY, comment: TEXT }])
    const later = { ...EARLY, priority: 506 }
    await edit([{ ...later, comment: TEXT }], [{ ...EARLY, comment: TEXT }])
    expect(await said()).to.deep.equal([TEXT])
    expect(await ofRevision(3)).to.deep.equal([
      { row: EARLY, before: TEXT, after: null },
      { row: later, before: null, after: TEXT },
    ])
  })

  it('an earlier revision is restored with its own, to the byte, also across rows taken away by hand', async () => {
    const files = new Map<number, string>()
    const keep = async () => files.set((await service.policy.refresh()).revision, await csv())
    await keep()
    await edit([{ ...READ, comment: TEXT }, EARLY])
    await keep()
    await edit([
      { ...EARLY, comment: 'publishing' },
      { ...READ, comment: null },
    ])
    await keep()
    await edit([{ ...READ, comment: 'again' }], [EARLY])
    await keep()
    await service.db.asOwner(`delete from casbin where rule ->> 0 in ('clerk', '510')`)
    await keep()
    expect(await ofRevision(5)).to.have.length(2)
    await service.db.asOwner('truncate casbin')
    for (const [revision, file] of files) {
      await restore(revision)
      expect(await csv(), `revision ${revision}`).to.equal(file)
    }
    const { text } = await service.request('GET', '/policy/revisions', { token: admin.token })
    expect(text).to.contain('"before":"publishing"')
  })

  it('422 for one that is too long or holds what no line can; a dry run shows what would change', async () => {
    for (const comment of ['x'.repeat(501), 'a\u0000b', 'a\u001b[2Kb', 'a\ud800b', 7, ['x']]) {
      const answer = await send({ add: [READ, { ...EARLY, comment }], reason: 'a test' })
      expect(answer.json, JSON.stringify(comment)).to.include({ status: 422 })
      expect(answer.text).to.match(/add(\[1\]|\.1)\.comment/)
    }
    const dry = await send({ add: [{ ...READ, comment: 'x'.repeat(500) }], reason: 'a test' }, '?dry_run=true')
    expect(listAt(dry.json, 'comments')).to.have.length(1)
    expect(service.policy.current().revision).to.equal(1)
    expect(await service.db.asOwner(`select from policy_comments where rule ->> 0 = 'clerk'`)).to.deep.equal([])
  })

  it('decide nothing: an edit of them alone changes no answer and no row', async () => {
    const before = service.policy.current()
    await edit(before.rows.map((row) => ({ ...row, comment: 'said of every row' })))
    const after = service.policy.current()
    expect(after.rows).to.deep.equal(before.rows)
    expect(after.comments.size).to.equal(before.rows.length)
    expect(at(await get('/policy/revisions/2'), 'decisions_changed')).to.deep.equal([])
  })

  it('follow the revisions alone: no login writes them, nor a revision or a proposal that says nonsense', async () => {
    const revision = (comments: string) =>
      `begin; select enter('policy_editor', null);
       insert into policy_revisions (revision, actor, reason, added, removed, comments, decisions_changed, model_sha256)
         values (2, 'x', 'x', '[]', '[]', '${comments}', '[]', ''); commit`
    const proposal = (comments: string) =>
      `begin; select enter('policy_editor', null);
       insert into policy_proposals (actor, reason, base, added, removed, comments)
         values ('x', 'x', 1, '[]', '[]', '${comments}'); commit`
    for (const sql of [
      `begin; select enter('policy_editor', null); delete from policy_comments; commit`,
      proposal('[5]'),
      proposal('[{"row": ["p2"], "before": null, "after": 7}]'),
      revision('[5]'),
      revision('[{"row": ["p2"], "before": {}, "after": null}]'),
    ])
      await asLogin(sql).then(
        () => expect.fail(sql),
        (error: unknown) => expect(String(error)).to.match(/permission denied|comments of a revision/),
      )
  })
})
