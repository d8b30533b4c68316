import { expect } from 'chai'
import { Client } from 'pg'

import { at, listAt, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const target = 'https://example.com/'

describe('many links in one request', () => {
  let service: TestService
  let ada: TestUser
  let bob: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
    bob = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  const bulk = (json: object, { token } = ada, query = '') =>
    service.request('POST', `/links/bulk${query}`, { token, json })
  const make = async (count: number, owner = ada) => {
    const codes = Array.from({ length: count }, () => freshCode())
    const { json, text } = await bulk({ operation: 'create', items: codes.map((code) => ({ code, target })) }, owner)
    expect(at(json, 'done'), text).to.equal(count)
    return codes
  }
  const statuses = (json: unknown) => listAt(json, 'results').map((each) => at(each, 'status'))
  const shown = async (code: string) => (await service.request('GET', `/links/${code}`, { token: root.token })).json
  const entries = async (code: string) =>
    listAt((await service.request('GET', `/audit/decisions?link=${code}`, { token: root.token })).json, 'data').map(
      (each) => [at(each, 'action'), at(each, 'effect'), at(each, 'rule'), at(each, 'resource', 'relation')],
    )

  it('creates each with its fields, its decision and its record', async () => {
    const code = freshCode()
    const items = [{ code, target, title: 'One', tags: ['x'] }, { target }, { target: 'ftp://example.com' }, 'nonsense']
    const answer = await bulk({ operation: 'create', items })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json).to.include({ done: 2, refused: 2 })
    expect(statuses(answer.json)).to.deep.equal([201, 201, 422, 422])
    expect(at(answer.json, 'results', 0, 'link')).to.deep.include({ code, title: 'One', tags: ['x'], owner_id: ada.id })
    expect(at(answer.json, 'results', 2, 'problem', 'errors', 0, 'field')).to.equal('target')
    expect(await entries(code)).to.deep.equal([['link:create', 'allow', 'R4', 'other']])
    expect(await entries(textAt(answer.json, 'results', 1, 'link', 'code'))).to.have.length(1)
  })

  it('names the field of a code that is taken', async () => {
    const [code] = await make(1)
    for (const atomic of [false, true]) {
      const { json } = await bulk({ operation: 'create', items: [{ code, target }], atomic })
      expect(at(json, 'results', 0, 'problem')).to.deep.include({
        code: 'code_taken',
        errors: [{ field: 'code', message: 'is taken' }],
      })
    }
  })

  it('changes and deletes what the policy lets the caller, and names the others by index', async () => {
    const [mine = '', other = ''] = await make(2)
    const [theirs = ''] = await make(1, bob)
    const renamed = freshCode()
    const changed = await bulk({
      operation: 'update',
      items: [
        { link: mine, title: 'Changed' },
        { link: theirs, title: 'Changed' },
        { link: 'absent', title: 'x' },
        { link: other, code: renamed },
        { link: mine, note: 'twice' },
      ],
    })
    expect(statuses(changed.json)).to.deep.equal([200, 403, 404, 200, 409])
    expect(at(changed.json, 'results', 1, 'problem')).to.include({ code: 'policy_denied', rule: 'R5' })
    expect(await shown(mine)).to.include({ title: 'Changed', note: null })
    expect(await shown(theirs)).to.include({ title: null })
    expect((await service.request('GET', `/${renamed}`)).status).to.equal(302)
    expect((await entries(mine))[0]).to.deep.equal(['link:update', 'allow', 'R5', 'own'])

    const deleted = await bulk({ operation: 'delete', items: [{ link: mine }, { link: theirs }] }, root)
    expect(deleted.json).to.include({ done: 2, refused: 0 })
    expect((await entries(mine))[0]).to.deep.equal(['link:delete', 'allow', 'R3', 'other'])
    expect((await service.request('GET', `/${mine}`)).status).to.equal(404)
  })

  it('does nothing to another link that has got the code since, where the item says which one it means', async () => {
    const [code = '', kept = ''] = await make(2)
    const before = { link: code, id: textAt(await shown(code), 'id') }
    await bulk({ operation: 'delete', items: [{ link: code }] })
    await bulk({ operation: 'create', items: [{ code, target }] })
    const items = [before, { link: kept, id: textAt(await shown(kept), 'id') }, { link: kept, id: 'x' }]
    for (const [operation, more] of [
      ['update', { active: false }],
      ['transfer', { owner_id: bob.id }],
      ['delete', {}],
    ] as const) {
      const sent = items.map((item) => ({ ...item, ...more }))
      const { json, text } = await bulk({ operation, items: sent }, root)
      expect(statuses(json), text).to.deep.equal([404, operation === 'delete' ? 204 : 200, 422])
      expect(at(json, 'results', 2, 'problem', 'errors', 0, 'field')).to.equal('id')
    }
    expect(await shown(code)).to.include({ active: true, owner_id: ada.id })
  })

  it('records own and others’ apart in one request, and the refusals', async () => {
    const [mine = ''] = await make(1, root)
    const [theirs = ''] = await make(1)
    await bulk(
      {
        operation: 'update',
        items: [
          { link: mine, title: 'x' },
          { link: theirs, title: 'x' },
        ],
      },
      root,
    )
    expect((await entries(mine))[0]?.[3]).to.equal('own')
    expect((await entries(theirs))[0]?.[3]).to.equal('other')
    await bulk({ operation: 'update', items: [{ link: theirs, title: 'y' }] }, bob)
    const denied = await until('the refusal in the log', async () =>
      (await entries(theirs)).find(([, effect]) => effect === 'deny'),
    )
    expect(denied).to.deep.equal(['link:update', 'deny', 'R5', 'other'])
  })

  it('is no deadlock with another that names the same links in another order', async () => {
    const codes = await make(50)
    const update = (links: readonly string[], atomic: boolean, title: string) =>
      bulk({ operation: 'update', atomic, items: links.map((link) => ({ link, title })) })
    for (const atomic of [true, false]) {
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((title, i) =>
          update(i % 2 === 0 ? codes : codes.toReversed(), atomic, title),
        ),
      )
      for (const { status, json, text } of answers) {
        expect(status, text).to.equal(200)
        expect(json, text).to.include({ done: 50 })
      }
      const titles = await Promise.all(codes.map(async (code) => at(await shown(code), 'title')))
      if (atomic) expect(new Set(titles).size).to.equal(1)
    }
  })

  it('with atomic does all or nothing, and says which item was at fault', async () => {
    const [one = '', two = ''] = await make(2)
    const [theirs = ''] = await make(1, bob)
    const fresh = freshCode()
    for (const [operation, items, expected] of [
      [
        'create',
        [
          { code: fresh, target },
          { code: one, target },
        ],
        [424, 409],
      ],
      [
        'create',
        [
          { code: fresh, target },
          { code: fresh, target },
        ],
        [424, 409],
      ],
      ['create', [{ code: fresh, target }, { target: 'nowhere' }], [424, 422]],
      [
        'update',
        [
          { link: one, title: 'x' },
          { link: theirs, title: 'x' },
        ],
        [424, 403],
      ],
      [
        'update',
        [
          { link: one, title: 'x' },
          { link: two, code: theirs },
        ],
        [424, 409],
      ],
      ['delete', [{ link: one }, { link: 'absent' }], [424, 404]],
      ['delete', [{ link: one }, { link: two, if_match: '"1-1"' }], [424, 412]],
    ] as const) {
      const answer = await bulk({ operation, items, atomic: true })
      expect(statuses(answer.json), answer.text).to.deep.equal(expected)
      expect(at(answer.json, 'done')).to.equal(0)
    }
    expect(await shown(fresh)).to.include({ status: 404 })
    expect(await shown(one)).to.include({ title: null })
    const done = await bulk({ operation: 'delete', items: [{ link: one }, { link: two }], atomic: true })
    expect(done.json).to.include({ done: 2, refused: 0 })
  })

  it('gives links to others: to users alone, and each that the policy lets the caller give', async () => {
    const [one = '', two = '', three = ''] = await make(3)
    const items = [
      { link: one, owner_id: bob.id },
      { link: two, owner_id: '999999999' },
      { link: 'absent', owner_id: bob.id },
      { link: one, owner_id: ada.id },
      { link: three, owner_id: bob.id, if_match: '"1-1"' },
      { link: three },
    ]
    const all = [200, 422, 404, 409, 412, 422]
    expect((await bulk({ operation: 'transfer', items })).json).to.include({ status: 403, code: 'role_not_allowed' })
    const dry = await bulk({ operation: 'transfer', items }, root, '?dry_run=true')
    expect(statuses(dry.json), dry.text).to.deep.equal(all)
    const atomic = await bulk({ operation: 'transfer', items: items.slice(0, 2), atomic: true }, root)
    expect(statuses(atomic.json)).to.deep.equal([424, 422])
    expect(await shown(one)).to.include({ owner_id: ada.id })

    const given = await bulk({ operation: 'transfer', items }, root)
    expect(statuses(given.json), given.text).to.deep.equal(all)
    expect(at(given.json, 'results', 0, 'link')).to.include({ code: one, owner_id: bob.id })
    expect(at(given.json, 'results', 1, 'problem', 'errors', 0, 'field')).to.equal('owner_id')
    expect(await shown(one)).to.include({ owner_id: bob.id })
    expect(await shown(two)).to.include({ owner_id: ada.id })
    expect((await entries(one))[0]).to.deep.equal(['link:transfer', 'allow', 'R3', 'other'])
  })

  it('restores what was deleted, by id: all whose codes are free, or under other codes', async () => {
    const codes = await make(4)
    const ids = await Promise.all(codes.map(async (code) => textAt(await shown(code), 'id')))
    await bulk({ operation: 'delete', items: codes.map((link) => ({ link })) })
    const [one = '', two = '', three = ''] = codes
    await bulk(
      {
        operation: 'create',
        items: [
          { code: two, target },
          { code: three, target },
        ],
      },
      bob,
    )
    const fresh = freshCode()
    const items = [
      { id: ids[0] },
      { id: ids[1] },
      { id: ids[2], code: fresh },
      { id: '999999999' },
      { id: ids[0] },
      { id: ids[3], note: 'x' },
    ]
    const all = [200, 409, 200, 404, 409, 422]
    expect(statuses((await bulk({ operation: 'restore', items: items.slice(0, 3) }, bob)).json)).to.deep.equal([
      403, 403, 403,
    ])
    expect(statuses((await bulk({ operation: 'restore', items }, ada, '?dry_run=true')).json)).to.deep.equal(all)
    const atomic = await bulk({ operation: 'restore', items: items.slice(0, 2), atomic: true })
    expect(statuses(atomic.json), atomic.text).to.deep.equal([424, 409])
    expect(await shown(one)).to.include({ status: 404 })

    const restored = await bulk({ operation: 'restore', items })
    expect(statuses(restored.json), restored.text).to.deep.equal(all)
    expect(at(restored.json, 'results', 0, 'link')).to.include({ id: ids[0], code: one, owner_id: ada.id })
    expect(at(restored.json, 'results', 4, 'problem')).to.deep.include({
      code: 'conflict',
      errors: [{ field: 'id', message: 'is named by an earlier item' }],
    })
    expect(await shown(fresh)).to.include({ id: ids[2], owner_id: ada.id })
    expect(await shown(two)).to.include({ owner_id: bob.id })
    // the deletion, the restoration, and what the dry run decided, twice
    const allowed = await until('all are in the log', async () => {
      const found = (await entries(one)).filter(([action, effect]) => action === 'link:delete' && effect === 'allow')
      return found.length >= 4 && found
    })
    const expected = ['link:delete', 'allow', 'R5', 'own']
    expect(allowed).to.deep.equal([expected, expected, expected, expected])
    const last = await bulk({ operation: 'restore', items: [{ id: ids[3] }], atomic: true })
    expect(last.json).to.include({ done: 1, refused: 0 })
  })

  it('in a dry run decides, and changes nothing', async () => {
    const [one = ''] = await make(1)
    const fresh = freshCode()
    const answer = await bulk(
      {
        operation: 'create',
        items: [
          { code: fresh, target },
          { code: one, target },
        ],
      },
      ada,
      '?dry_run=true',
    )
    expect(statuses(answer.json)).to.deep.equal([201, 409])
    expect(await shown(fresh)).to.include({ status: 404 })
    const own = { operation: 'update', items: [{ link: one, code: one }] }
    expect((await bulk(own, ada, '?dry_run=true')).json, 'its own code').to.include({ done: 1 })
    expect((await bulk({ operation: 'delete', items: [{ link: one }] }, ada, '?dry_run=true')).json).to.include({
      done: 1,
    })
    expect(await shown(one)).to.include({ code: one })
    const logged = await until('what it decided is in the log', async () => {
      const found = (await entries(one)).map(([action, effect]) => `${effect} ${action}`)
      return found.includes('allow link:delete') && found
    })
    expect(logged).to.include('allow link:update')
  })

  it('refuses the code of another item’s link, whatever the order of their ids, in a dry run as well', async () => {
    const [first = '', second = ''] = await make(2)
    for (const [from, to] of [
      [first, second],
      [second, first],
    ])
      for (const query of ['?dry_run=true', '']) {
        const items = [
          { link: to, code: freshCode() },
          { link: from, code: to },
        ]
        const { json } = await bulk({ operation: 'update', items, atomic: true }, ada, query)
        expect(statuses(json)).to.deep.equal([424, 409])
        expect(at(json, 'results', 1, 'problem', 'code')).to.equal('code_taken')
      }
    expect(await shown(first)).to.include({ code: first })
  })

  it('takes no code or link from later items for an item that it refuses', async () => {
    const [one = '', two = ''] = await make(2)
    const fresh = freshCode()
    const items = [
      { link: two, code: one },
      { link: one, code: one, title: 'keeps its code' },
      { link: one, code: fresh },
      { link: two, code: fresh },
    ]
    for (const query of ['?dry_run=true', ''])
      expect(statuses((await bulk({ operation: 'update', items }, ada, query)).json)).to.deep.equal([
        409, 200, 409, 200,
      ])
    expect(await shown(one)).to.include({ title: 'keeps its code' })
    expect(await shown(fresh)).to.include({ code: fresh })
  })

  it('an item without fields changes nothing, as a request of its own', async () => {
    const [one = ''] = await make(1)
    const before = await shown(one)
    for (const atomic of [false, true])
      expect((await bulk({ operation: 'update', items: [{ link: one }], atomic })).json).to.include({ done: 1 })
    expect(await shown(one)).to.deep.equal(before)
    expect(await entries(one)).to.have.length(3)
  })

  it('is in the log where the gateway refuses it, as every other request is', async () => {
    const gone = await service.addUser('editor')
    expect(
      (await service.request('PATCH', `/users/${gone.id}`, { token: root.token, json: { suspended: true } })).status,
    ).to.equal(200)
    for (const [id, token, rule, subject] of [
      ['bulk-without', undefined, 'token_required', null],
      ['bulk-invalid', 'no token', 'invalid_token', null],
      ['bulk-suspended', gone.token, 'invalid_token', gone.id],
    ] as const) {
      const headers = { 'X-Request-ID': id }
      const json = { operation: 'delete', items: [{ link: 'absent' }] }
      expect((await service.request('POST', '/links/bulk', { token, json, headers })).status).to.equal(401)
      const path = `/audit/requests/${id}`
      const [entry] = await until('it is in the log', async () => {
        const { status, json: found } = await service.request('GET', path, { token: root.token })
        return status === 200 && listAt(found, 'data')
      })
      expect(entry).to.deep.include({ layer: 'gateway', effect: 'deny', action: 'link:bulk', rule })
      expect(at(entry, 'subject', 'id')).to.equal(subject)
      expect(textAt(entry, 'explanation', 'why')).not.to.include('link:bulk')
    }
  })

  it('needs the scope of its operation, the role, a token, and items of a bounded number and size', async () => {
    expect(
      (await service.request('POST', '/links/bulk', { json: { operation: 'create', items: [] } })).status,
    ).to.equal(401)
    const reading = { token: await service.tokenFor(ada, 'link:create') }
    const one = { items: [{ link: 'absent' }] }
    expect((await bulk({ operation: 'delete', ...one }, { ...ada, ...reading })).json).to.include({
      code: 'insufficient_scope',
    })
    expect((await bulk({ operation: 'create', items: [{ target }] }, { ...ada, ...reading })).status).to.equal(200)
    const item = { target }
    expect((await bulk({ operation: 'create', items: Array.from({ length: 1_001 }, () => item) })).status).to.equal(422)
    expect((await bulk({ operation: 'create', items: [{ target: 'x'.repeat(1_100_000) }] })).status).to.equal(413)
    expect((await bulk({ operation: 'create', items: [{ target, password: 'open sesame' }] })).json).to.include({
      refused: 1,
    })
    expect((await bulk({ operation: 'burn', items: [] })).status).to.equal(422)
  })

  it('answers little to an item with a hundred thousand faults, before it looks at each', async () => {
    for (const [count, status] of [
      [5_000, 200],
      [100_000, 422],
    ] as const) {
      const tags = Array.from({ length: count }, () => '!')
      const answer = await bulk({ operation: 'create', items: [{ target: 'https://example.com/', tags }] })
      expect(answer.status).to.equal(status)
      expect(answer.text.length).to.be.below(20_000)
      if (status === 422)
        expect(at(answer.json, 'errors')).to.deep.equal([{ field: 'items.0.tags', message: 'has too many items' }])
    }
  })

  it('counts as one request for every fifty items', async () => {
    const limited = await startTestService({ db: service.db, environment: { RATE_LIMIT_USER: '10/60' } })
    try {
      const user = { token: await limited.tokenFor(ada) }
      const send = (count: number) =>
        limited.request('POST', '/links/bulk', {
          ...user,
          json: { operation: 'delete', items: Array.from({ length: count }, (_, i) => ({ link: `absent-${i}` })) },
        })
      expect((await send(50)).headers.get('RateLimit')).to.match(/r=9;/)
      expect((await send(151)).headers.get('RateLimit')).to.match(/r=5;/)
      // over the quota, it costs one request
      const refused = await send(251)
      expect(refused.status).to.equal(429)
      expect(at(refused.json, 'detail')).to.match(/^Try again in/)
      expect((await send(1)).headers.get('RateLimit')).to.match(/r=3;/)
      const never = await send(1_000)
      expect(never.status).to.equal(429)
      expect(at(never.json, 'detail')).to.equal('It counts as 20 requests, and 10 in 60 seconds are allowed: split it.')
      expect((await send(1)).headers.get('RateLimit')).to.match(/r=1;/)
    } finally {
      await limited.stop()
    }
  })

  it('makes a thousand links whose records verify', async () => {
    const answer = await bulk({
      operation: 'create',
      items: Array.from({ length: 1_000 }, () => ({ target })),
      atomic: true,
    })
    expect(answer.json).to.include({ done: 1_000, refused: 0 })
    const ids = listAt(answer.json, 'results').map((each) => at(each, 'link', 'id'))
    const [row] = await service.db.asOwner<{ n: number }>(
      `select count(*)::int as n from decisions where action = 'link:create' and resource_id = any($1::bigint[])`,
      [ids],
    )
    expect(row?.n).to.equal(1_000)
  })

  it('that meets an edit of the policy in between does nothing twice, and says what it did not do', async () => {
    const blocked = freshCode()
    const items = Array.from({ length: 120 }, (_, i) => (i === 20 ? { code: blocked, target } : { target }))
    const before = await numberOfLinks()
    const blocker = new Client(service.db.owner)
    await blocker.connect()
    // past the triggers that ask for a decision
    await blocker.query('set session_replication_role = replica; begin')
    await blocker.query('insert into links (code, target, owner_id) values ($1, $2, $3)', [blocked, target, bob.id])
    const answering = bulk({ operation: 'create', items })
    await lockWaiters(service.db.asOwner)
    // it waits for the first items, and those that follow wait for it
    const editing = service.request('POST', '/policy/changes', {
      token: root.token,
      headers: {
        'If-Match': String((await service.request('GET', '/policy', { token: root.token })).headers.get('ETag')),
      },
      json: { add: [{ ptype: 'p2', role: 'auditor', action: 'link:read' }], reason: 'in between' },
    })
    await lockWaiters(service.db.asOwner, 2)
    await blocker.query('rollback')
    await blocker.end()
    const { json } = await answering
    expect((await editing).status).to.equal(200)
    expect(json).to.include({ done: 50, refused: 70 })
    expect(statuses(json)).to.deep.equal([...Array<number>(50).fill(201), ...Array<number>(70).fill(503)])
    expect(at(json, 'results', 50, 'problem', 'code')).to.equal('policy_unavailable')
    expect((await numberOfLinks()) - before).to.equal(50)
  })

  it('is answered with what was done, or has done nothing, whenever its deadline passes', async () => {
    const hurried = await startTestService({ environment: { REQUEST_DEADLINE_MS: '700' } })
    try {
      const { token } = await hurried.addUser('editor')
      // twenty transactions of a thousand links take longer than that
      await slowDown(hurried)
      for (const count of [300, 900, 1_000]) {
        const before = await numberOfLinks(hurried)
        const items = Array.from({ length: count }, () => ({ target }))
        const { status, json } = await hurried.request('POST', '/links/bulk', {
          token,
          json: { operation: 'create', items },
        })
        const made = (await numberOfLinks(hurried)) - before
        expect([status, made]).to.deep.equal(status === 503 ? [503, 0] : [200, at(json, 'done')])
      }
    } finally {
      await hurried.stop()
    }
  })

  it('is answered with what was done, even where the service is too slow to say so in time', async () => {
    const deadlineMs = 1_500
    const hurried = await startTestService({ environment: { REQUEST_DEADLINE_MS: String(deadlineMs) } })
    try {
      const { token } = await hurried.addUser('editor')
      await slowDown(hurried)
      const before = await numberOfLinks(hurried)
      const over = performance.now() + deadlineMs + 50
      const answering = hurried.request('POST', '/links/bulk', {
        token,
        json: { operation: 'create', items: Array.from({ length: 500 }, () => ({ target })) },
      })
      await until('the first links', async () => (await numberOfLinks(hurried)) > before)
      while (performance.now() < over);
      const { status, json } = await answering
      const made = (await numberOfLinks(hurried)) - before
      expect([status, made]).to.deep.equal([200, at(json, 'done')])
    } finally {
      await hurried.stop()
    }
  })

  it('is 412 for an item whose link changes in between, as in a request of its own', async () => {
    const [one = '', two = ''] = await make(2)
    const blocker = new Client(service.db.owner)
    await blocker.connect()
    await blocker.query('set session_replication_role = replica; begin')
    await blocker.query('update links set version = version + 1 where code = any($1)', [[one, two]])
    const items = [{ link: one, title: 'Lost', if_match: textAt(await shown(one), 'etag') }, { link: two }]
    const answering = bulk({ operation: 'update', items })
    await lockWaiters(service.db.asOwner)
    await blocker.query('commit')
    await blocker.end()
    const { json, text } = await answering
    expect(statuses(json), text).to.deep.equal([412, 200])
    expect(await shown(one)).to.include({ title: null })
  })

  /** Has each statement that creates links take 40 ms. */
  const slowDown = ({ db }: TestService) =>
    db.asOwner(
      `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.04); return null; end';
       create trigger slow after insert on links for each statement execute function slow()`,
    )
  const numberOfLinks = async ({ db } = service): Promise<number> =>
    (await db.asOwner<{ n: number }>('select count(*)::int as n from links'))[0]?.n ?? 0
})
