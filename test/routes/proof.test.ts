import { createPublicKey } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { mostLongReads } from '../../src/database/long-reads.js'
import { checkEvidence } from '../support/evidence-verifier.js'
import { fillLog } from '../support/fill-log.js'
import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

/** Events of a stream: their names and data. */
const eventsIn = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.+)\n\n/gm)].map(([, name, data = '']) => ({
    name,
    data: JSON.parse(data) as unknown,
  }))

describe('the decision log as evidence, over HTTP', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  before(async () => {
    service = await startTestService({ environment: { REQUEST_DEADLINE_MS: '30000' } })
    admin = await service.addUser('admin')
    editor = await service.addUser('editor')
  })
  after(() => service.stop())

  const get = (path: string, { token }: Pick<TestUser, 'token'> = admin) => service.request('GET', path, { token })
  const keyOf = async () => {
    const { json } = await service.request('GET', '/.well-known/jwks.json')
    const [x, y] = [textAt(json, 'keys', 0, 'x'), textAt(json, 'keys', 0, 'y')]
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  }

  it('is for whoever may read the audit, by role and by scope', async () => {
    for (const path of ['/audit/proof', '/audit/verification', '/audit/evidence']) {
      expect((await get(path, editor)).status, path).to.equal(403)
      const token = await service.tokenFor(admin, 'link:read policy:read')
      expect((await get(path, { token })).status, path).to.equal(403)
      expect((await service.request('GET', path)).status, path).to.equal(401)
    }
  })

  it('is one signed file, of all entries or of a period', async () => {
    const key = await keyOf()
    const whole = await get('/audit/evidence')
    expect(whole.headers.get('Content-Type')).to.equal('application/x-ndjson')
    expect(whole.headers.get('Content-Disposition')).to.equal('attachment; filename="evidence.ndjson"')
    checkEvidence(Buffer.from(whole.text), [key])
    const header: unknown = JSON.parse(whole.text.split('\n')[0] ?? '')
    expect(header).to.deep.include({ type: 'evidence', version: 1, made_for: `user ${admin.id}`, from: null })
    const now = new Date(Date.now() - 60_000).toISOString()
    const period = await get(`/audit/evidence?from=${now}`)
    checkEvidence(Buffer.from(period.text), [key])
    expect(at(JSON.parse(period.text.split('\n')[0] ?? ''), 'from')).to.equal(now)
  })

  it('has no period that ends before it begins or that has not begun, and no other parameters', async () => {
    const backwards = 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'
    for (const query of [backwards, 'from=9000-01-01', 'from=9000-01-01&to=9001-01-01', 'from=yesterday', 'user=1'])
      expect((await get(`/audit/evidence?${query}`)).json, query).to.deep.include({ code: 'invalid_query' })
  })

  it('says how far it is proved, and what is newer', async () => {
    await fillLog(service.db, 30)
    const before = (await get('/audit/proof')).json
    expect(listAt(before, 'chains').length).to.be.greaterThan(2)
    expect(at(before, 'since_checkpoint')).to.be.greaterThan(29)
    const key = (await keyOf()).export({ format: 'jwk' })
    expect(at(before, 'key', 'jwk')).to.deep.equal({ kty: 'EC', crv: 'P-256', x: key.x, y: key.y })
    await service.db.asOwner(`insert into audit_checkpoints (kind, jws) values ('standing', 'garbage')`)
    const { json } = await get('/audit/proof')
    expect(at(json, 'checkpoints', 0)).to.deep.include({ valid: false, key: null, why: 'has no valid signature' })
    expect(at(json, 'checkpoints', 1)).to.deep.include({ valid: true, key: at(json, 'key', 'thumbprint') })
    expect(at(json, 'checkpoint')).to.equal(at(json, 'checkpoints', 1, 'time'))
    const [stored] = await service.db.asOwner<{ entries: number }>('select count(*)::int as entries from decisions')
    expect(at(json, 'entries')).to.be.within(1, stored?.entries ?? 0)
    expect(at(json, 'retired')).to.deep.equal({ entries: 0, months: [] })
    await service.db.asOwner(`delete from audit_checkpoints where jws = 'garbage'`)
  })

  it('is verified while it is watched: progress, then the verdict', async () => {
    await fillLog(service.db, 5_000)
    const { text, headers } = await get('/audit/verification')
    expect(headers.get('Content-Type')).to.equal('text/event-stream; charset=utf-8')
    expect(headers.get('X-Accel-Buffering')).to.equal('no')
    const events = eventsIn(text)
    const last = events.pop()
    expect(events.length).to.be.greaterThan(1)
    const done = events.map(({ name, data }) => (name === 'progress' ? Number(at(data, 'done')) : NaN))
    expect(done).to.deep.equal(done.toSorted((a, b) => a - b))
    expect(last?.name).to.equal('verdict')
    expect(last?.data).to.deep.include({ whole: true, faults: [], faults_found: 0 })
    expect(at(last?.data, 'entries')).to.be.greaterThan(4_999)
  })

  it('names in the verdict what was changed in the database', async () => {
    const [entry] = await service.db.asOwner<{ id: string }>(
      `update decisions set rule = 'R3' where id = (select min(id) from decisions where rule = 'R5') returning id`,
    )
    const verdict = eventsIn((await get('/audit/verification')).text).at(-1)?.data
    expect(at(verdict, 'whole')).to.equal(false)
    expect(at(verdict, 'faults', 0)).to.deep.include({ kind: 'altered', id: entry?.id })
    const end = (await get('/audit/evidence')).text.trimEnd().split('\n').at(-1) ?? ''
    const [, payload = ''] = textAt(JSON.parse(end), 'jws').split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.deep.include({ faults: 1 })
    await service.db.asOwner(`update decisions set rule = 'R5' where id = $1`, [entry?.id])
  })

  it('is verified once at a time, and again when the listener has left', async () => {
    const owner = new Client(service.db.owner)
    await owner.connect()
    try {
      await owner.query('begin')
      await owner.query('lock table audit_checkpoints in access exclusive mode')
      const leaving = new AbortController()
      const headers = { Authorization: `Bearer ${admin.token}` }
      const first = fetch(`${service.baseUrl}/audit/verification`, { headers, signal: leaving.signal })
      await lockWaiters(service.db.asOwner)
      const second = await get('/audit/verification')
      expect(second.json).to.deep.include({ code: 'exports_busy', status: 503 })
      expect(second.headers.get('Retry-After')).to.equal('10')
      await owner.query('rollback')
      expect((await first).status).to.equal(200)
      leaving.abort()
    } finally {
      await owner.end()
    }
    await until('the first has ended', async () => (await get('/audit/verification')).status === 200)
  })

  it('is exported within the bounds of all exports', async () => {
    await fillLog(service.db, 20_000)
    const headers = { Authorization: `Bearer ${admin.token}` }
    const leaving = new AbortController()
    const most = mostLongReads(10)
    const open = await Promise.all(
      Array.from({ length: most + 1 }, () =>
        fetch(`${service.baseUrl}/audit/evidence`, { headers, signal: leaving.signal }),
      ),
    )
    expect(open.map(({ status }) => status)).to.include(503)
    leaving.abort()
    await until('one is let in', async () => (await get('/audit/evidence?to=2020-01-01T00:00:00Z')).status === 200)
  })
})
