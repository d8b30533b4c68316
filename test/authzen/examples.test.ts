import { expect } from 'chai'

import { addRows } from '../support/edit-policy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

// What the working group publishes with the specification (github.com/openid/authzen): the requests of its text, and
// the Todo application of its interoperability events (interop/authzen-todo-backend, test/decisions-*.json), decided by
// rows.

const row = (priority: number, role: string, action: string, reach: 'own' | 'any') => ({
  ptype: 'p',
  priority,
  rule: 'TODO',
  role,
  action: `${action}`,
  reach,
  effect: 'allow',
})

const ROWS = [
  row(1_000, 'todo-viewer', 'user:can_read_user', 'any'),
  row(1_010, 'todo-viewer', 'todo:can_read_todos', 'any'),
  row(1_020, 'todo-editor', 'todo:can_create_todo', 'any'),
  row(1_030, 'todo-editor', 'todo:can_update_todo', 'own'),
  row(1_040, 'todo-editor', 'todo:can_delete_todo', 'own'),
  row(1_050, 'evil-genius', 'todo:can_update_todo', 'any'),
  row(1_060, 'todo-admin', 'todo:can_delete_todo', 'any'),
  row(1_070, 'todo-viewer', 'account:can_read', 'any'),
  row(1_080, 'todo-viewer', 'document:read', 'own'),
  { ptype: 'g', role: 'todo-editor', inherits: 'todo-viewer' },
  { ptype: 'g', role: 'todo-admin', inherits: 'todo-editor' },
  // who is both an admin and an evil genius: a subject has one role, and a role may have the rows of another
  { ptype: 'g', role: 'evil-genius', inherits: 'todo-admin' },
]

const ROLES = {
  'rick@the-citadel.com': 'evil-genius',
  'morty@the-citadel.com': 'todo-editor',
  'summer@the-smiths.com': 'todo-editor',
  'beth@the-smiths.com': 'todo-viewer',
  'jerry@the-smiths.com': 'todo-viewer',
} as const
type Person = keyof typeof ROLES

/** The published decisions: whose todo the second one of each pair is about is named after it; the first is Rick's. */
const DECISIONS: readonly (readonly [
  who: Person,
  other: Person,
  update: readonly [boolean, boolean],
  remove: readonly [boolean, boolean],
  create: boolean,
])[] = [
  ['rick@the-citadel.com', 'morty@the-citadel.com', [true, true], [true, true], true],
  ['morty@the-citadel.com', 'morty@the-citadel.com', [false, true], [false, true], true],
  ['summer@the-smiths.com', 'summer@the-smiths.com', [false, true], [false, true], true],
  ['beth@the-smiths.com', 'beth@the-smiths.com', [false, false], [false, false], false],
  ['jerry@the-smiths.com', 'jerry@the-smiths.com', [false, false], [false, false], false],
]

describe("AuthZEN's published examples", () => {
  let service: TestService
  let admin: TestUser

  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    await addRows(service, admin.token, ROWS)
  })
  after(() => service.stop())

  const ask = async (path: string, json: unknown): Promise<unknown> => {
    const answer = await service.request('POST', `/access/v1/${path}`, { token: admin.token, json })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json
  }
  const subject = (id: Person) => ({ type: 'user', id, properties: { role: ROLES[id] } })

  it('the Todo application: all forty decisions of its table', async () => {
    const todo = (owner: Person) => ({
      type: 'todo',
      id: '7240d0db-8ff0-41ec-98b2-34a096273b9f',
      properties: { owner_id: owner },
    })
    const questions = DECISIONS.flatMap(([who, other, update, remove, create]) => {
      const one = (name: string, resource: object, decision: boolean) => ({
        question: { subject: subject(who), action: { name }, resource },
        decision,
      })
      return [
        one('can_read_user', { type: 'user', id: 'beth@the-smiths.com' }, true),
        one('can_read_user', { type: 'user', id: who }, true),
        one('can_read_todos', { type: 'todo', id: 'todo-1' }, true),
        one('can_create_todo', { type: 'todo', id: 'todo-1' }, create),
        one('can_update_todo', todo('rick@the-citadel.com'), update[0]),
        one('can_update_todo', todo(other), update[1]),
        one('can_delete_todo', todo('rick@the-citadel.com'), remove[0]),
        one('can_delete_todo', todo(other), remove[1]),
      ]
    })
    expect(questions).to.have.length(40)
    for (const { question, decision } of questions)
      expect(await ask('evaluation', question), JSON.stringify(question)).to.deep.equal({ decision })
    expect(await ask('evaluations', { evaluations: questions.map(({ question }) => question) })).to.deep.equal({
      evaluations: questions.map(({ decision }) => ({ decision })),
    })
  })

  it('§6.1: a question with properties of an action and a context', async () => {
    expect(
      await ask('evaluation', {
        subject: subject('beth@the-smiths.com'),
        resource: { type: 'account', id: '123' },
        action: { name: 'can_read', properties: { method: 'GET' } },
        context: { time: '1985-10-26T01:22-07:00' },
      }),
    ).to.deep.equal({ decision: true })
  })

  /** Three documents, the second of which is somebody else's. */
  const documents = [
    ['1', 'beth@the-smiths.com'],
    ['2', 'morty@the-citadel.com'],
    ['3', 'beth@the-smiths.com'],
  ].map(([id, owner_id]) => ({ resource: { type: 'document', id, properties: { owner_id } } }))

  for (const [semantic, decisions] of [
    ['execute_all', [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ] as const) {
    it(`§7.1.2.1: reading three documents under ${semantic}`, async () => {
      expect(
        await ask('evaluations', {
          subject: subject('beth@the-smiths.com'),
          action: { name: 'read' },
          options: { evaluations_semantic: semantic },
          evaluations: documents,
        }),
      ).to.deep.equal({ evaluations: decisions.map((decision) => ({ decision })) })
    })
  }

  it('§7.1: three questions without defaults, with defaults, and with one that an item replaces', async () => {
    const context = { time: '2024-05-31T15:22-07:00' }
    const [beth, action] = [subject('beth@the-smiths.com'), { name: 'read' }]
    const answer = { evaluations: [{ decision: true }, { decision: false }, { decision: true }] }
    expect(
      await ask('evaluations', { evaluations: documents.map((each) => ({ ...each, subject: beth, action, context })) }),
    ).to.deep.equal(answer)
    expect(
      await ask('evaluations', { subject: beth, context, evaluations: documents.map((each) => ({ ...each, action })) }),
    ).to.deep.equal(answer)
    expect(
      await ask('evaluations', {
        subject: beth,
        context,
        action,
        evaluations: documents.map((each, i) => (i === 2 ? { ...each, action: { name: 'edit' } } : each)),
      }),
    ).to.deep.equal({ evaluations: [{ decision: true }, { decision: false }, { decision: false }] })
  })

  it('§7.1.2: unknown options are ignored', async () => {
    expect(
      await ask('evaluations', {
        evaluations: [{ resource: { type: 'doc', id: '1' }, subject: { type: 'doc', id: '2' } }],
        options: { evaluation_semantics: 'execute_all', another_option: 'value' },
      }),
    ).to.deep.equal({ evaluations: [{ decision: false }] })
  })
})
