import { expect } from 'chai'

import { addRows } from '../support/edit-policy.js'
import { listAt } from '../support/json.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from '../support/service.js'

// The protocol cases of "AuthZEN Authorization API 1.0 - Certification Scenario" (OpenID AuthZEN working group,
// github.com/openid/authzen, certification/authorization-api-1_0-scenario.md), by their numbers. Its alice and bob are
// users of ours here, named by their ids. Its cases 2.2.4 to 2.2.7 and 3.2.3, 3.2.4 ask for rows that look at
// properties of a record or of an action (`status`, `soft`), which no row can: docs/authzen.md.

const RECORDS = [
  {
    ptype: 'p',
    priority: 600,
    rule: 'REC',
    role: 'record-keeper',
    action: 'record:read',
    reach: 'any',
    effect: 'allow',
  },
  {
    ptype: 'p',
    priority: 610,
    rule: 'REC',
    role: 'record-keeper',
    action: 'record:write',
    reach: 'any',
    effect: 'allow',
  },
  {
    ptype: 'p',
    priority: 620,
    rule: 'REC',
    role: 'record-reader',
    action: 'record:read',
    reach: 'any',
    effect: 'allow',
  },
]

describe('the AuthZEN certification scenario', () => {
  let service: TestService
  let admin: TestUser
  let alice: { readonly type: 'user'; readonly id: string }
  let bob: typeof alice

  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    alice = { type: 'user', id: (await service.addUser('record-keeper')).id }
    bob = { type: 'user', id: (await service.addUser('record-reader')).id }
    await addRows(service, admin.token, RECORDS)
  })
  after(() => service.stop())

  const post = (path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> =>
    service.request('POST', `/access/v1/${path}`, { token: admin.token, json, headers })
  const record = (id: string, properties?: object) => ({ type: 'record', id, ...(properties ? { properties } : {}) })
  const reads = { name: 'read' }
  const writes = { name: 'write' }
  const requireAnswer = async (path: string, json: unknown, answer: unknown) => {
    const response = await post(path, json)
    expect([response.status, response.json], response.text).to.deep.equal([200, answer])
    expect(response.headers.get('Content-Type')).to.match(/^application\/json\b/)
  }

  it('1.4: alice reads and writes the record, bob reads it and does not write it', async () => {
    for (const [subject, action, decision] of [
      [alice, reads, true],
      [alice, writes, true],
      [bob, reads, true],
      [bob, writes, false],
    ] as const) {
      await requireAnswer('evaluation', { subject, action, resource: record('record-1') }, { decision })
    }
  })

  it('2.2.3: a context changes no decision', () =>
    requireAnswer(
      'evaluation',
      {
        subject: alice,
        action: reads,
        resource: record('record-1'),
        context: { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' },
      },
      { decision: true },
    ))

  it("2.2.8: additional properties are accepted, and a role among them does not replace the user's", () =>
    requireAnswer(
      'evaluation',
      {
        subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
        action: { ...reads, properties: { method: 'GET' } },
        resource: record('record-1', { status: 'active', owner: 'bob' }),
      },
      { decision: true },
    ))

  it('2.2.9: unknown members are ignored', () =>
    requireAnswer(
      'evaluation',
      { subject: alice, action: reads, resource: record('record-1'), foo: 'bar', futureField: { nested: true } },
      { decision: true },
    ))

  it('2.4.1 and 2.4.2: whatever member is missing, 400', async () => {
    const whole = { subject: alice, action: reads, resource: record('record-1') }
    for (const body of [
      { action: reads, resource: whole.resource },
      { subject: alice, resource: whole.resource },
      { subject: alice, action: reads },
      { ...whole, subject: { id: alice.id } },
      { ...whole, subject: { type: 'user' } },
      { ...whole, action: {} },
      { ...whole, resource: { id: 'record-1' } },
      { ...whole, resource: { type: 'record' } },
    ]) {
      for (const path of ['evaluation', 'evaluations'])
        expect((await post(path, body)).status, `${path} ${JSON.stringify(body)}`).to.equal(400)
    }
  })

  it('2.4.3 to 2.4.6: another content type, no JSON, no body, a member of another kind: 400', async () => {
    const whole = { subject: alice, action: reads, resource: record('record-1') }
    const send = (path: string, body: string | undefined, type?: string) =>
      service.request('POST', `/access/v1/${path}`, {
        token: admin.token,
        headers: type === undefined ? {} : { 'Content-Type': type },
        ...(body === undefined ? {} : { body }),
      })
    for (const path of ['evaluation', 'evaluations']) {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        expect((await send(path, JSON.stringify(whole), type)).status, type).to.equal(400)
      for (const body of ['{', '{"subject":', 'subject', ''])
        expect((await send(path, body, 'application/json')).status, body).to.equal(400)
      expect((await send(path, undefined)).status).to.equal(400)
      for (const wrong of [
        { ...whole, subject: 'alice' },
        { ...whole, action: { name: 123 } },
        { ...whole, context: 'now' },
        { ...whole, resource: [] },
      ])
        expect((await post(path, wrong)).status).to.equal(400)
    }
    expect((await post('evaluations', { ...whole, evaluations: {} })).status).to.equal(400)
    expect(
      (await post('evaluations', { subject: 'alice', evaluations: [whole] })).status,
      'a default of another kind',
    ).to.equal(400)
  })

  it('2.5: X-Request-ID comes back as it was sent, on refusals too, and is optional', async () => {
    const body = { subject: alice, action: reads, resource: record('record-1') }
    for (const [path, sent] of [
      ['evaluation', body],
      ['evaluations', { ...body, evaluations: [{}] }],
      ['evaluation', {}],
    ] as const) {
      for (const id of ['bfe9eb29-ab87-4ca3-be83-a1d5d8305716', 'urn:pep:7/a?b=c#d', '{"id":"x"}', 'a'.repeat(200)])
        expect((await post(path, sent, { 'X-Request-ID': id })).headers.get('X-Request-ID')).to.equal(id)
    }
    expect((await post('evaluation', body)).status).to.equal(200)
  })

  it('2.6: the same question has the same answer', async () => {
    for (let i = 0; i < 5; i += 1)
      await requireAnswer(
        'evaluation',
        { subject: bob, action: writes, resource: record('record-1') },
        { decision: false },
      )
  })

  it('3.2.2 and 3.2.5: a batch, with defaults and without, in the order of its items', async () => {
    const answer = { evaluations: [{ decision: true }, { decision: false }] }
    await requireAnswer(
      'evaluations',
      { subject: bob, resource: record('record-1'), evaluations: [{ action: reads }, { action: writes }] },
      answer,
    )
    await requireAnswer(
      'evaluations',
      {
        evaluations: [
          { subject: alice, action: reads, resource: record('record-1') },
          { subject: bob, action: writes, resource: record('record-1') },
        ],
      },
      answer,
    )
  })

  it("3.2.6: a context is a default as well, and an item's own replaces it", async () => {
    const { json } = await post('evaluations', {
      subject: alice,
      action: reads,
      context: { explain: true },
      evaluations: [
        { resource: record('record-1') },
        { resource: record('record-2'), context: { source: 'batch-override' } },
      ],
    })
    const [first, second] = listAt(json, 'evaluations')
    expect(first).to.have.nested.property('context.rule', 'REC')
    expect(second).to.deep.equal({ decision: true })
  })

  it("3.2.7: an item's entity replaces the default, except for a missing type, id or name", async () => {
    await requireAnswer(
      'evaluations',
      {
        subject: alice,
        action: writes,
        resource: { type: 'record' },
        evaluations: [
          { resource: { id: 'record-1', properties: { status: 'active' } } },
          { resource: { type: 'record', id: 'record-2' } },
          { resource: { type: 'file', id: 'record-2' } },
        ],
      },
      { evaluations: [{ decision: true }, { decision: true }, { decision: false }] },
    )
    // its properties are not: an owner of one record is not that of another
    await requireAnswer(
      'evaluations',
      {
        subject: { type: 'user', id: 'carol', properties: { role: 'editor' } },
        action: { name: 'link:update' },
        resource: { type: 'page', properties: { owner_id: 'carol' } },
        evaluations: [{ resource: { id: 'one' } }, { resource: { id: 'two', properties: { owner_id: 'carol' } } }],
      },
      { evaluations: [{ decision: false }, { decision: true }] },
    )
  })

  it('3.4.1: an invalid item is denied, and the others are answered', () =>
    requireAnswer(
      'evaluations',
      {
        subject: alice,
        action: reads,
        evaluations: [{ resource: record('record-1') }, {}, null, { resource: 'record-1' }],
      },
      { evaluations: [{ decision: true }, { decision: false }, { decision: false }, { decision: false }] },
    ))

  it('accepts any text that JSON can hold as an unknown name', async () => {
    await requireAnswer(
      'evaluation',
      { subject: { ...alice, id: `${alice.id}\u0000` }, action: reads, resource: record('\u0000') },
      { decision: false },
    )
    await requireAnswer(
      'evaluation',
      { subject: alice, action: reads, resource: { type: 'link', id: '\u0000' }, context: { '\u0000': '\ud800' } },
      { decision: true },
    )
    await requireAnswer(
      'evaluations',
      {
        subject: alice,
        action: reads,
        evaluations: [{ resource: record('record-1') }, { resource: { type: 'record\u0000', id: '1' } }],
      },
      { evaluations: [{ decision: true }, { decision: false }] },
    )
  })

  it('3.4.1: the fault of an invalid item is told where the caller asks for an explanation', async () => {
    const { json } = await post('evaluations', {
      subject: alice,
      action: reads,
      context: { explain: true },
      evaluations: [{ resource: { type: 'record' } }],
    })
    expect(listAt(json, 'evaluations')[0])
      .to.deep.include({ decision: false })
      .and.to.have.nested.property('context.error.message')
      .that.matches(/^resource\.id: /)
  })

  it('3.4.2 and 3.4.3: a request without items is one question', async () => {
    const body = { subject: alice, action: reads, resource: record('record-1') }
    await requireAnswer('evaluations', body, { decision: true })
    await requireAnswer('evaluations', { ...body, evaluations: [] }, { decision: true })
  })

  it('6: the metadata names this service and its endpoints', async () => {
    const { status, json, headers } = await service.request('GET', '/.well-known/authzen-configuration')
    expect([status, json]).to.deep.equal([
      200,
      {
        policy_decision_point: service.baseUrl,
        access_evaluation_endpoint: `${service.baseUrl}/access/v1/evaluation`,
        access_evaluations_endpoint: `${service.baseUrl}/access/v1/evaluations`,
      },
    ])
    expect(headers.get('Content-Type')).to.match(/^application\/json\b/)
  })
})
