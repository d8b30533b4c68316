import { expect } from 'chai'

import { textAt } from '../support/json.js'
import { addRows } from '../support/edit-policy.js'
import { createPause } from '../support/pause.js'
import { addLink, freshCode, giveAway, storedLink, storedLinks } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('races', () => {
  let callers: Callers
  let service: TestService
  const pause = createPause()

  before(async () => {
    callers = await startWithCallers({ composeLayers: pause.composeLayers })
    service = callers.service
  })
  after(() => service.stop())

  const ask = (method: string, code: string, json?: unknown, headers = {}, user = callers.editor) =>
    service.request(method, `/links/${code}`, { token: user.token, headers, ...(json === undefined ? {} : { json }) })

  it('of 20 parallel creates of one code one is made, and 19 hear that it is taken', async () => {
    const code = freshCode('race')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.request('POST', '/links', {
          token: (i % 2 === 0 ? callers.editor : callers.other).token,
          json: { code, target: `https://example.com/${i}` },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array.from({ length: 19 }, () => 409)])
    for (const { status, json } of answers)
      if (status === 409)
        expect(json).to.deep.include({ code: 'code_taken', errors: [{ field: 'code', message: 'is taken' }] })
    const made = answers.find(({ status }) => status === 201)
    expect(made?.json).to.include(await storedLink(service.db, code))
  })

  it('of two deletes of one link one is 204 and one is 404', async () => {
    for (let i = 0; i < 10; i += 1) {
      const code = await addLink(service.db, { owner: callers.editor.id })
      const answers = await Promise.all([ask('DELETE', code), ask('DELETE', code)])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404])
    }
  })

  it('a delete or a change never touches a link that was given away after the decision: R5 decides again', async () => {
    for (const [method, json] of [
      ['DELETE', undefined],
      ['PATCH', { target: 'https://example.com/stolen' }],
    ] as const) {
      for (const heir of [callers.other.id, null]) {
        const code = await addLink(service.db, { owner: callers.editor.id, target: 'https://example.com/kept' })
        pause.once(() => giveAway(service.db, code, heir))
        expect((await ask(method, code, json)).json, method).to.include({
          status: 403,
          code: 'policy_denied',
          rule: 'R5',
        })
        expect(await storedLink(service.db, code)).to.deep.equal({
          code,
          owner_id: heir,
          target: 'https://example.com/kept',
        })
      }
    }
  })

  it('a link that was deleted after the decision, and whose code another made anew, is not touched', async () => {
    for (const [method, json] of [
      ['DELETE', undefined],
      ['PATCH', { target: 'https://example.com/stolen' }],
    ] as const) {
      const code = await addLink(service.db, { owner: callers.editor.id })
      pause.once(async () => {
        expect((await ask('DELETE', code)).status).to.equal(204)
        await addLink(service.db, { code, owner: callers.other.id, target: 'https://example.com/new' })
      })
      expect((await ask(method, code, json)).json).to.include({ status: 403, code: 'policy_denied' })
      expect(await storedLink(service.db, code)).to.deep.equal({
        code,
        owner_id: callers.other.id,
        target: 'https://example.com/new',
      })
    }
  })

  it('a link that was renamed after the decision is not touched: its old code names nothing', async () => {
    for (const [method, json] of [
      ['DELETE', undefined],
      ['PATCH', { target: 'https://example.com/changed' }],
    ] as const) {
      const [code, renamed] = [await addLink(service.db, { owner: callers.editor.id }), freshCode('renamed')]
      const kept = await storedLink(service.db, code)
      pause.once(async () => {
        expect((await ask('PATCH', code, { code: renamed })).status).to.equal(200)
      })
      expect((await ask(method, code, json)).status, method).to.equal(404)
      expect(await storedLink(service.db, renamed)).to.deep.equal({ ...kept, code: renamed })
    }
  })

  it('a change by who may change every link is recorded with whose link it was at the commit', async () => {
    const code = await addLink(service.db, { owner: callers.admin.id })
    pause.once(() => giveAway(service.db, code, callers.editor.id))
    const answer = await ask('PATCH', code, { title: 'anyone’s' }, {}, callers.admin)
    expect(answer.status).to.equal(200)
    const records = await service.db.asOwner('select relation from decisions where request_id = $1', [
      answer.headers.get('X-Request-ID'),
    ])
    expect(records).to.deep.equal([{ relation: 'other' }])
  })

  it('so is the restoration of a link that its owner, who is deleted meanwhile, leaves to somebody', async () => {
    const { token, id: heir } = callers.admin
    for (const isAlone of [true, false]) {
      const leaver = await service.addUser('editor')
      const code = await addLink(service.db, { owner: leaver.id })
      const id = textAt((await ask('GET', code, undefined, {}, callers.admin)).json, 'id')
      expect((await ask('DELETE', code, undefined, {}, callers.admin)).status).to.equal(204)
      pause.once(async () => {
        const left = await service.request('DELETE', `/users/${leaver.id}?links=transfer:${heir}`, { token })
        expect(left.status, left.text).to.equal(204)
      })
      const json = { operation: 'restore', items: [{ id }], atomic: true }
      const answer = await (isAlone
        ? service.request('POST', `/links/${id}/restore`, { token })
        : service.request('POST', '/links/bulk', { token, json }))
      expect(answer.status, answer.text).to.equal(200)
      const records = await service.db.asOwner('select relation from decisions where request_id = $1', [
        answer.headers.get('X-Request-ID'),
      ])
      expect(records, isAlone ? 'alone' : 'in a request for many').to.deep.equal([{ relation: 'own' }])
    }
  })

  it('a visitor never goes where a link led before it changed, nor in by a password that it had before', async () => {
    const { service: followed, editor } = callers
    const make = async (json: object) => {
      const answer = await followed.request('POST', '/links', {
        token: editor.token,
        json: { code: freshCode('followed'), target: 'https://example.com/old', ...json },
      })
      return textAt(answer.json, 'code')
    }
    const change = (code: string, json: object) =>
      pause.once(async () => {
        expect((await ask('PATCH', code, json)).status).to.equal(200)
      })
    const counted = await make({ max_visits: 2 })
    change(counted, { target: 'https://example.com/new' })
    const led = await followed.request('GET', `/${counted}`)
    expect([led.status, led.headers.get('Location')]).to.deep.equal([302, 'https://example.com/new'])
    expect((await followed.request('GET', `/${counted}`)).status, 'one visit was counted').to.equal(302)
    expect((await followed.request('GET', `/${counted}`)).status).to.equal(410)
    const guarded = await make({ password: 'open sesame' })
    change(guarded, { target: 'https://example.com/new' })
    const entered = await followed.request('POST', `/${guarded}`, formOf({ password: 'open sesame' }))
    expect([entered.status, entered.headers.get('Location')]).to.deep.equal([303, 'https://example.com/new'])
  })

  it('a request for many links that is decided twice is recorded and counted once', async () => {
    const limited = await startTestService({
      db: service.db,
      environment: { RATE_LIMIT_USER: '10/600' },
      composeLayers: pause.composeLayers,
    })
    try {
      const token = await limited.tokenFor(callers.editor)
      const [own, theirs] = [
        await addLink(service.db, { owner: callers.editor.id }),
        await addLink(service.db, { owner: callers.other.id }),
      ]
      const items = [own, theirs, ...Array.from({ length: 49 }, () => freshCode('absent'))]
      pause.once(() => addRows(service, callers.admin.token, [{ ptype: 'p2', role: 'racer', action: 'link:read' }]))
      const json = { operation: 'update', items: items.map((link) => ({ link, title: 'x' })) }
      const answer = await limited.request('POST', '/links/bulk', { token, json })
      expect(answer.json).to.include({ done: 1, refused: 50 })
      expect(answer.headers.get('RateLimit')).to.match(/^"user";r=8;/)
      const records = () =>
        service.db.asOwner<{ effect: string }>('select effect from decisions where request_id = $1 order by effect', [
          answer.headers.get('X-Request-ID'),
        ])
      // it writes what waits when it stops
      await limited.stop()
      expect((await records()).map(({ effect }) => effect)).to.deep.equal(['allow', 'deny'])
    } finally {
      await limited.stop()
    }
  })

  it('a link given to the caller after the refusal stays refused; one given back is theirs', async () => {
    const code = await addLink(service.db, { owner: callers.other.id })
    expect((await ask('DELETE', code)).status).to.equal(403)
    await giveAway(service.db, code, callers.editor.id)
    expect((await ask('DELETE', code)).status).to.equal(204)
  })

  it('a change that was made in between is not lost to one that names the version before it', async () => {
    const code = await addLink(service.db, { owner: callers.editor.id })
    const tag = (await ask('GET', code)).headers.get('ETag') ?? ''
    pause.once(async () => {
      expect((await ask('PATCH', code, { target: 'https://example.com/first' })).status).to.equal(200)
    })
    const second = await ask('PATCH', code, { target: 'https://example.com/second' }, { 'If-Match': tag })
    expect(second.json).to.include({ status: 412, code: 'precondition_failed' })
    expect(await storedLink(service.db, code)).to.include({ target: 'https://example.com/first' })
  })

  it('a change without a condition is made upon the change before it', async () => {
    const code = await addLink(service.db, { owner: callers.editor.id })
    pause.once(async () => {
      expect((await ask('PATCH', code, { target: 'https://example.com/first' })).status).to.equal(200)
    })
    expect((await ask('PATCH', code, { target: 'https://example.com/second' })).status).to.equal(200)
    expect(await storedLink(service.db, code)).to.include({ target: 'https://example.com/second' })
  })

  it('of 20 parallel changes of one link to one free code none is lost, and no code is there twice', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => addLink(service.db, { owner: callers.editor.id })))
    const wanted = freshCode('wanted')
    const answers = await Promise.all(codes.map((code) => ask('PATCH', code, { code: wanted })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 19 }, () => 409)])
    const left = (await storedLinks(service.db)).filter(({ code }) => code === wanted || codes.includes(code))
    expect(left).to.have.length(20)
  })
})
