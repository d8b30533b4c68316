import { expect } from 'chai'

import { createEvaluator } from '../../src/authzen/evaluate.js'
import { Deadline } from '../../src/domain/deadline.js'
import type { Refusal } from '../../src/domain/refusal.js'
import { addRows } from '../support/edit-policy.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from '../support/service.js'

const TODO_ROWS = [
  {
    ptype: 'p',
    priority: 600,
    rule: 'TODO',
    role: 'todo-editor',
    action: 'todo:can_update_todo',
    reach: 'own',
    effect: 'allow',
  },
  {
    ptype: 'p',
    priority: 610,
    rule: 'TODO',
    role: 'todo-reader',
    action: 'todo:can_read_todos',
    reach: 'any',
    effect: 'allow',
  },
]

describe('the AuthZEN Authorization API', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  let code: string

  const ask = (body: unknown, path = 'evaluation', headers: Record<string, string> = {}): Promise<TestResponse> =>
    service.request('POST', `/access/v1/${path}`, { token: admin.token, json: body, headers })
  const question = (subject: unknown, action: string, resource: object) => ({
    subject,
    action: { name: action },
    resource,
  })

  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    editor = await service.addUser('editor')
    code = 'authzen-link'
    await service.request('POST', '/links', { token: editor.token, json: { target: 'https://example.com/', code } })
    await addRows(service, admin.token, TODO_ROWS)
  })
  after(() => service.stop())

  it('answers for our users by their row, whatever role the question claims', async () => {
    const own = await ask(question({ type: 'user', id: editor.id }, 'update', { type: 'link', id: code }))
    expect([own.status, own.json]).to.deep.equal([200, { decision: true }])
    const claimed = await ask(
      question({ type: 'user', id: editor.id, properties: { role: 'admin' } }, 'policy:write', {
        type: 'policy',
        id: '1',
      }),
    )
    expect([claimed.status, claimed.json]).to.deep.equal([200, { decision: false }])
  })

  it('takes the owner of our links from their row, whatever owner the question claims', async () => {
    const other = await service.addUser('editor')
    const claimed = await ask(
      question({ type: 'user', id: other.id }, 'link:delete', {
        type: 'link',
        id: code,
        properties: { owner_id: other.id },
      }),
    )
    expect(claimed.json).to.deep.equal({ decision: false })
  })

  it('takes nobody for the owner of one of our users by what the question claims', async () => {
    const [asker, other] = [await service.addUser('editor'), await service.addUser('editor')]
    for (const type of ['user', 'profile']) {
      const resource = { type, id: other.email, properties: { owner_id: asker.id } }
      const claimed = await ask(question({ type: 'user', id: asker.id }, 'profile:update', resource))
      expect(claimed.json, type).to.deep.equal({ decision: false })
    }
  })

  it('lets nobody but R1 in for anonymous subjects, suspended users, and strangers without a role', async () => {
    const suspended = await service.addUser('admin')
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [suspended.id])
    for (const subject of [
      { type: 'anonymous', id: 'anonymous' },
      { type: 'user', id: suspended.id },
      { type: 'user', id: 'somebody' },
      { type: 'user', id: '999999', properties: { role: 'user' } },
      // one of ours, deleted, for a program that always sends a role
      { type: 'user', id: '999998', properties: { role: 'admin' } },
    ]) {
      expect((await ask(question(subject, 'read', { type: 'link', id: code }))).json).to.deep.equal({ decision: true })
      expect((await ask(question(subject, 'create', { type: 'link', id: 'x' }))).json).to.deep.equal({
        decision: false,
      })
    }
  })

  it("decides another application's vocabulary by its rows", async () => {
    const subject = { type: 'user', id: 'beth@the-smiths.com', properties: { role: 'todo-editor' } }
    const todo = (owner: string) => ({ type: 'todo', id: '7240d0db', properties: { owner_id: owner } })
    expect((await ask(question(subject, 'can_update_todo', todo('beth@the-smiths.com')))).json).to.deep.equal({
      decision: true,
    })
    expect((await ask(question(subject, 'can_update_todo', todo('morty@the-citadel.com')))).json).to.deep.equal({
      decision: false,
    })
    expect((await ask(question(subject, 'can delete!', todo('beth@the-smiths.com')))).json).to.deep.equal({
      decision: false,
    })
  })

  it('treats a subject from elsewhere with an equal id as somebody else', async () => {
    for (const subject of [
      { type: 'service', id: editor.id, properties: { role: 'editor' } },
      { type: 'service', id: editor.id },
    ]) {
      expect((await ask(question(subject, 'link:delete', { type: 'link', id: code }))).json).to.deep.equal({
        decision: false,
      })
      expect((await ask(question(subject, 'profile:read', { type: 'profile', id: editor.id }))).json).to.deep.equal({
        decision: false,
      })
    }
    expect(
      (await ask(question({ type: 'user', id: editor.id }, 'read', { type: 'profile', id: editor.id }))).json,
    ).to.deep.equal({ decision: true })
    const stranger = { type: 'user', id: '4611686018427387904', properties: { role: 'editor' } }
    expect(
      (
        await ask(
          question(stranger, 'read', { type: 'profile', id: stranger.id, properties: { owner_id: stranger.id } }),
        )
      ).json,
    ).to.deep.equal({ decision: false })
  })

  it('explains only where the caller asks for it', async () => {
    const body = question({ type: 'user', id: editor.id }, 'link:delete', { type: 'link', id: 'none' })
    expect((await ask({ ...body, context: { explain: 'true' } })).json).to.deep.equal({ decision: false })
    const { json } = await ask({ ...body, context: { explain: true } })
    expect(json)
      .to.have.nested.property('context')
      .that.deep.includes({
        role: 'editor',
        action: 'link:delete',
        relation: 'other',
        layer: 'object',
        rule: 'R5',
        revision: 2,
        inherits: ['user', 'anyone'],
      })
    expect(json).to.have.nested.property('context.row.priority', 540)
    expect(json)
      .to.have.nested.property('context.considered[0]')
      .that.deep.includes({ outcome: 'does_not_match', why: "the record is another's" })
    expect(json).to.have.nested.property('context.endpoint.effect', 'allow')
    const unknown = await ask({
      ...question({ type: 'user', id: editor.id }, 'can delete!', { type: 'todo', id: '1' }),
      context: { explain: true },
    })
    expect(unknown.json).to.have.nested.property('context.reason').that.includes('todo:can delete! is not an action')
  })

  it('does not repeat a long name in each of many explanations', async () => {
    const { status, json, text } = await ask(
      {
        ...question({ type: 'user', id: editor.id }, 'x'.repeat(40_000), { type: 'todo', id: '1' }),
        context: { explain: true },
        evaluations: Array.from({ length: 1_000 }, () => ({})),
      },
      'evaluations',
    )
    expect([status, text.length < 1_000_000]).to.deep.equal([200, true])
    expect(json)
      .to.have.nested.property('evaluations[999].context.reason')
      .that.matches(/^todo:x+… is not an action: /)
  })

  it('answers 413 to what is too large: a 400 would say that it was read', async () => {
    const large = {
      ...question({ type: 'user', id: editor.id }, 'read', { type: 'link', id: code }),
      x: 'x'.repeat(70_000),
    }
    expect((await ask(large)).json).to.include({ status: 413, code: 'body_too_large' })
  })

  for (const [what, body] of [
    ['no subject', { action: { name: 'read' }, resource: { type: 'link', id: 'x' } }],
    ['no action', { subject: { type: 'user', id: '1' }, resource: { type: 'link', id: 'x' } }],
    ['no resource', { subject: { type: 'user', id: '1' }, action: { name: 'read' } }],
    ['a subject that is a text', question('user', 'read', { type: 'link', id: 'x' })],
    ['a subject without a type', question({ id: '1' }, 'read', { type: 'link', id: 'x' })],
    ['an id that is a number', question({ type: 'user', id: 1 }, 'read', { type: 'link', id: 'x' })],
    [
      'an action name that is a number',
      { ...question({ type: 'user', id: '1' }, 'read', { type: 'link', id: 'x' }), action: { name: 1 } },
    ],
    [
      'properties that are a list',
      question({ type: 'user', id: '1', properties: [] }, 'read', { type: 'link', id: 'x' }),
    ],
    ['a list', []],
    ['a null', null],
  ] as const) {
    it(`answers 400 to ${what}`, async () => {
      const response = await ask(body)
      expect(response.status, response.text).to.equal(400)
    })
  }

  it('answers 400 to a malformed body, an empty one, and another content type', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      service.request('POST', '/access/v1/evaluation', { token: admin.token, headers, body })
    const json = 'application/json'
    for (const [type, body, detail] of [
      [json, '{', 'The body is not valid JSON.'],
      [json, '', 'A body is required.'],
      ['text/plain', '{}', `Send ${json}, not encoded.`],
      ['application/x-www-form-urlencoded', 'a=b', `Send ${json}, not encoded.`],
    ] as const) {
      expect((await post({ 'Content-Type': type }, body)).json, `${type} ${body}`).to.include({ status: 400, detail })
    }
  })

  it('explains a malformed item in the words of every other fault', async () => {
    const { json } = await ask({ context: { explain: true }, evaluations: [{}, { subject: null }] }, 'evaluations')
    expect(json).to.deep.equal({
      evaluations: ['subject: is required', 'subject: must be an object'].map((message) => ({
        decision: false,
        context: { error: { status: 400, message } },
      })),
    })
  })

  it('ignores members that it does not know, and echoes X-Request-ID', async () => {
    const { status, headers } = await ask(
      {
        ...question({ type: 'user', id: editor.id, more: 1 }, 'read', { type: 'link', id: code, more: [] }),
        future: {},
      },
      'evaluation',
      { 'X-Request-ID': 'bfe9eb29-ab87-4ca3' },
    )
    expect(status).to.equal(200)
    expect(headers.get('X-Request-ID')).to.equal('bfe9eb29-ab87-4ca3')
  })

  it('requires the scope and the permission to ask', async () => {
    const body = question({ type: 'user', id: editor.id }, 'read', { type: 'link', id: code })
    const narrow = await service.tokenFor(admin, 'link:read')
    expect((await service.request('POST', '/access/v1/evaluation', { json: body })).status).to.equal(401)
    expect((await service.request('POST', '/access/v1/evaluation', { json: body, token: narrow })).status).to.equal(403)
    expect(
      (await service.request('POST', '/access/v1/evaluation', { json: body, token: editor.token })).status,
    ).to.equal(403)
  })

  describe('with many questions', () => {
    const items = () => [
      { resource: { type: 'link', id: code } },
      { resource: { type: 'link', id: 'another' } },
      { resource: { type: 'link', id: code }, action: { name: 'delete' } },
    ]
    const batch = (options?: object) => ({
      subject: { type: 'user', id: editor.id },
      action: { name: 'update' },
      evaluations: items(),
      ...(options ? { options } : {}),
    })

    it('completes each from the defaults, in order', async () => {
      expect((await ask(batch(), 'evaluations')).json).to.deep.equal({
        evaluations: [{ decision: true }, { decision: false }, { decision: true }],
      })
    })

    it('stops at the first deny or the first permit where it is asked to', async () => {
      expect((await ask(batch({ evaluations_semantic: 'deny_on_first_deny' }), 'evaluations')).json).to.deep.equal({
        evaluations: [{ decision: true }, { decision: false }],
      })
      expect((await ask(batch({ evaluations_semantic: 'permit_on_first_permit' }), 'evaluations')).json).to.deep.equal({
        evaluations: [{ decision: true }],
      })
      expect((await ask(batch({ evaluations_semantic: 'execute_all' }), 'evaluations')).json)
        .to.have.property('evaluations')
        .with.lengthOf(3)
      const late = {
        ...batch({ evaluations_semantic: 'deny_on_first_deny' }),
        evaluations: Array.from({ length: 150 }, (_, i) => items()[i === 120 ? 1 : 0]),
      }
      expect((await ask(late, 'evaluations')).json)
        .to.have.property('evaluations')
        .with.lengthOf(121)
      expect((await ask(batch({ evaluations_semantic: 'whatever' }), 'evaluations')).status).to.equal(400)
    })

    it('looks up the records of a hundred together, since a database may be far away', async () => {
      const many = {
        subject: { type: 'user', id: editor.id },
        action: { name: 'update' },
        evaluations: Array.from({ length: 250 }, () => ({ resource: { type: 'link', id: code } })),
      }
      const together: number[] = []
      let waiting = 0
      const { evaluateAll } = createEvaluator({
        findUser: async () => editor,
        findLink: async () => {
          waiting += 1
          await new Promise(setImmediate)
          if (waiting > 0) together.push(waiting)
          waiting = 0
          return null
        },
      })
      const answers = await evaluateAll(service.policy.current(), many, new Deadline(performance.now() + 60_000))
      expect(answers).to.have.length(250)
      expect(together).to.deep.equal([100, 100, 50])
    })

    it('ends with the deadline of its request', async () => {
      const { evaluateAll } = createEvaluator({ findUser: async () => null, findLink: async () => null })
      const over = evaluateAll(service.policy.current(), { evaluations: items() }, new Deadline(0))
      expect(await over.catch(({ code }: Refusal) => code)).to.equal('deadline_exceeded')
    })

    it('answers false for a bad item, and the others as usual', async () => {
      const { status, json } = await ask(
        { ...batch(), evaluations: [...items(), 7, { resource: 'x' }, { resource: { type: 'link' } }] },
        'evaluations',
      )
      expect(status).to.equal(200)
      expect(json).to.deep.equal({
        evaluations: [
          { decision: true },
          { decision: false },
          { decision: true },
          { decision: false },
          { decision: false },
          { decision: false },
        ],
      })
    })

    it('is one question where it has no items', async () => {
      const single = question({ type: 'user', id: editor.id }, 'update', { type: 'link', id: code })
      expect((await ask(single, 'evaluations')).json).to.deep.equal({ decision: true })
      expect((await ask({ ...single, evaluations: [] }, 'evaluations')).json).to.deep.equal({ decision: true })
      expect((await ask({ subject: single.subject }, 'evaluations')).status).to.equal(400)
    })
  })

  it('says where its endpoints are', async () => {
    const { status, json } = await service.request('GET', '/.well-known/authzen-configuration')
    expect(status).to.equal(200)
    expect(json).to.include({
      policy_decision_point: service.baseUrl,
      access_evaluation_endpoint: `${service.baseUrl}/access/v1/evaluation`,
    })
  })
})
