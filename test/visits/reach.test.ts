import { expect } from 'chai'

import { enter } from '../../src/database/statement.js'
import { RecordChanged } from '../../src/database/errors.js'
import { backgroundWork } from '../../src/jobs/background-work.js'
import { visitsOfLink } from '../../src/layers/4-data/visits.js'
import { at, listAt, textAt } from '../support/json.js'
import { startLoneLayer, type LoneLayer } from '../support/lone-layer.js'
import { addLink, freshCode } from '../support/records.js'
import type { TestService, TestUser } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'
import { HOUR, addVisits, linkId } from '../support/visits.js'

const TABLES = {
  visits: 'link_id',
  visit_hours: 'link_id',
  visit_values: 'link_id',
  visit_counts: 'link_id',
  owner_visit_hours: 'owner_id',
  owner_visit_values: 'owner_id',
} as const

describe('who sees visits', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  /** A link that was visited so often in the hour before this one. */
  const visited = async ({ token }: TestUser, visits: number, json: object = {}) => {
    const code = freshCode()
    const made = await service.request('POST', '/links', {
      token,
      json: { code, target: 'https://example.com/', ...json },
    })
    expect(made.status, made.text).to.equal(201)
    const id = textAt(made.json, 'id')
    const visit = { link: id, at: Date.now() - HOUR, referrer: 'news.example', single: true }
    await addVisits(
      service.db,
      Array.from({ length: visits }, () => visit),
    )
    return { id, code }
  }
  const ask = (path: string, { token }: TestUser) => service.request('GET', path, { token })
  const total = async (path: string, user: TestUser) => {
    const { status, json, text } = await ask(path, user)
    expect(status, text).to.equal(200)
    return at(json, 'total')
  }
  const recordsOf = (code: string) =>
    service.db.asOwner<{ action: string; effect: string; rule: string; status: number; layer: string }>(
      'select action, effect, rule, status, layer from decisions where resource_code = $1 and status <> 201',
      [code],
    )

  it('is nobody without a token, nor with one that may not read links', async () => {
    const { code } = await visited(callers.editor, 1)
    const token = await service.tokenFor(callers.editor, 'link:update')
    for (const path of ['/visits', `/links/${code}/visits`, `/links/${code}/visits/export`]) {
      expect((await service.request('GET', path)).status, path).to.equal(401)
      const refused = await service.request('GET', path, { token })
      expect(refused.json, path).to.include({ status: 403, code: 'insufficient_scope' })
    }
  })

  it('is who may change the link: others are refused link:update, and that is what the log says', async () => {
    const { code } = await visited(callers.editor, 1)
    for (const path of [`/links/${code}/visits`, `/links/${code}/visits/export?format=ndjson`]) {
      for (const user of [callers.viewer, callers.other])
        expect((await ask(path, user)).json, path).to.include({ status: 403, code: 'policy_denied', rule: 'R5' })
      // the scope that they need is link:read alone
      const token = await service.tokenFor(callers.editor, 'link:read')
      expect((await service.request('GET', path, { token })).status).to.equal(200)
      expect((await ask(path, callers.admin)).status).to.equal(200)
    }
    const records = await until('all are recorded', async () => {
      const found = await recordsOf(code)
      return found.length >= 8 && found
    })
    const refused = { action: 'link:update', effect: 'deny', rule: 'R5', status: 403, layer: 'object' }
    const allowed = { action: 'link:read', effect: 'allow', rule: 'R1', status: 200, layer: 'object' }
    const some = [refused, refused, allowed, allowed]
    expect(records).to.have.deep.members([...some, ...some])
  })

  it('is nobody where there is no link', async () => {
    expect((await ask('/links/there-is-none/visits', callers.admin)).status).to.equal(404)
    expect((await ask('/links/there-is-none/visits/export', callers.admin)).status).to.equal(404)
  })

  it('of all links, each sees those that they may change', async () => {
    const [ada, bob] = [await service.addUser('editor'), await service.addUser('editor')]
    const before = Number(await total('/visits', callers.admin))
    await visited(ada, 2, { tags: ['spring'] })
    await visited(ada, 3)
    await visited(bob, 4, { tags: ['spring', 'sale'] })
    expect(await total('/visits', ada)).to.equal(5)
    expect(await total('/visits', bob)).to.equal(4)
    expect(await total('/visits', callers.admin)).to.equal(before + 9)
    expect(await total('/visits', callers.viewer)).to.equal(0)
    expect(await total('/visits?tag=spring', ada)).to.equal(2)
    expect(await total('/visits?tag=spring', callers.admin)).to.equal(6)
    expect(await total('/visits?tag=spring&tag=sale', callers.admin)).to.equal(4)
    expect(await total('/visits?tag=spring&tag=sale', ada)).to.equal(0)
  })

  it('is nobody whom no row lets change a link: they get zeros', async () => {
    const carl = await service.addUser('clerk')
    await visited(carl, 2)
    expect(await total('/visits', carl)).to.equal(2)
    const changes = {
      add: [
        { ptype: 'p', priority: 505, rule: 'MOD', role: 'clerk', action: 'link:update', reach: 'own', effect: 'deny' },
      ],
      remove: [],
      reason: 'a test',
    }
    const headers = { 'If-Match': '"1"' }
    const { token } = callers.admin
    const edit = await service.request('POST', '/policy/changes', { token, headers, json: changes })
    expect(edit.status, edit.text).to.equal(200)
    for (const query of ['', '?tag=spring']) {
      const { json } = await ask(`/visits${query}`, carl)
      expect(json).to.include({ total: 0, visitors: 0, bots: 0 })
      expect(at(json, 'links')).to.deep.equal([])
    }
  })

  it('of a link that got another owner is the new one, and its visits move to their totals', async () => {
    const [ada, bob] = [await service.addUser('editor'), await service.addUser('editor')]
    const { code } = await visited(ada, 3)
    await visited(ada, 1)
    const { token } = callers.admin
    const json = { owner_id: bob.id }
    expect((await service.request('POST', `/links/${code}/transfer`, { token, json })).status).to.equal(200)
    expect(await total(`/links/${code}/visits`, bob)).to.equal(3)
    expect((await ask(`/links/${code}/visits`, ada)).status).to.equal(403)
    expect(listAt((await ask('/visits', bob)).json, 'links')).to.deep.equal([{ code, visits: 3 }])

    const move = backgroundWork(service.database, { trashDays: 30, visitDays: 90 }).find(
      ({ name }) => name === 'move_visits',
    )
    await move?.run(() => false)
    expect(await total('/visits', bob)).to.equal(3)
    expect(await total('/visits', ada)).to.equal(1)
    const referrers = listAt((await ask('/visits', ada)).json, 'by', 'referrer')
    expect(referrers).to.deep.equal([{ value: 'news.example', visits: 1 }])
  })

  it('of a link in the trash is nobody until it is restored, and it counts among all links all the same', async () => {
    const ada = await service.addUser('editor')
    const { id, code } = await visited(ada, 2)
    const before = await ask(`/links/${code}/visits`, ada)
    expect((await service.request('DELETE', `/links/${code}`, { token: ada.token })).status).to.equal(204)
    expect((await ask(`/links/${code}/visits`, ada)).status).to.equal(404)
    const { json } = await ask('/visits', ada)
    expect(json).to.include({ total: 2 })
    expect(at(json, 'links')).to.deep.equal([])
    expect((await service.request('POST', `/links/${id}/restore`, { token: ada.token })).status).to.equal(200)
    expect(at((await ask(`/links/${code}/visits`, ada)).json, 'series')).to.deep.equal(at(before.json, 'series'))
  })

  it('row-level security alone shows everybody the visits of their own links, and nobody else’s', async () => {
    const { editor, other } = callers
    const { id } = await visited(editor, 2)
    for (const [table, key] of Object.entries(TABLES)) {
      const seenBy = async (role: string, user: string | null) => {
        const [, seen] = await service.database.flush([
          enter(role, user),
          {
            text: `select count(*)::int as rows from ${table} where ${key} = $1`,
            values: [key === 'link_id' ? id : editor.id],
          },
        ])
        return Number(at(seen?.rows, 0, 'rows'))
      }
      expect(await seenBy('links_own', editor.id), table).to.be.above(0)
      expect(await seenBy('links_any', null), table).to.be.above(0)
      expect(await seenBy('links_own', other.id), table).to.equal(0)
      expect(await seenBy('links_own', null), table).to.equal(0)
      const refused = await service.database.run({ text: `select from ${table}` }).catch((error: unknown) => error)
      expect(refused, table).to.have.property('code', '42501')
    }
  })

  it('the query builder alone, without row-level security, finds no link of another owner', async () => {
    const link = await visited(callers.editor, 2)
    const range = { from: 0, to: Math.floor(Date.now() / HOUR) + 1, starts: [0] }
    const asked = (userId: string) =>
      visitsOfLink(service.database, { reach: 'own', userId, enterRead: enter('links_any', null) }, link, {
        range,
        bots: 'false',
      })
    expect((await asked(callers.editor.id)).total).to.equal(2)
    const refused = await asked(callers.other.id).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(RecordChanged)
  })
})

describe('visits by the data layer alone, with gateway, endpoint and object layer open', () => {
  let alone: LoneLayer
  before(async () => {
    alone = await startLoneLayer('data')
  })
  after(() => alone.service.stop())

  it('are those of own links, though can() was never asked', async () => {
    const { service, editor, stranger } = alone
    const ofEditor = await addLink(service.db, { owner: editor.id })
    const ofStranger = await addLink(service.db, { owner: stranger.id })
    for (const code of [ofEditor, ofStranger])
      await addVisits(service.db, [{ link: await linkId(service.db, code), at: Date.now() - HOUR, single: true }])
    expect((await alone.as(editor, 'GET', '/visits')).json).to.include({ total: 1 })
    expect((await alone.as(editor, 'GET', `/links/${ofEditor}/visits`)).json).to.include({ total: 1 })
    expect((await alone.as(editor, 'GET', `/links/${ofStranger}/visits`)).status).to.equal(409)
    const lines = async (code: string) =>
      (await alone.as(editor, 'GET', `/links/${code}/visits/export?format=ndjson`)).text.split('\n').length - 1
    expect(await lines(ofEditor)).to.equal(1)
    expect(await lines(ofStranger)).to.equal(0)
  })
})
