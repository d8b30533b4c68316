import { expect } from 'chai'

import { ACTIONS } from '../../src/domain/action.js'
import { editPolicy } from '../support/edit-policy.js'
import { at, listAt, textAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import type { RequestOptions, TestResponse, TestService, TestUser } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

/** What a request of a route answers about a right: allowed, or which layer refuses, by which rule. */
const rightIn = ({ status, json }: TestResponse) => {
  if (status !== 403) return { allowed: true }
  const layer = { insufficient_scope: 'gateway', role_not_allowed: 'endpoint', policy_denied: 'object' }[
    textAt(json, 'code')
  ]
  return { allowed: false, layer, rule: at(json, 'rule') ?? null }
}

/** Requests that change nothing: each is refused after the layers, or only reads. */
const NOTHING: RequestOptions = { headers: { 'If-Match': '"another"' } }
const OF_SERVICE = {
  'link:read': ['GET', '/links?limit=1', {}],
  'link:create': ['POST', '/links', { json: {} }],
  'user:read': ['GET', '/users?limit=1', {}],
  'user:invite': ['POST', '/users/invitations', { json: {} }],
  'policy:read': ['GET', '/policy/model', {}],
  'policy:write': ['POST', '/policy/changes', { json: {} }],
  'policy:evaluate': ['POST', '/access/v1/evaluation', { json: {} }],
  'audit:read': ['GET', '/audit/decisions?limit=1', {}],
} as const
const OF_LINK = {
  'link:update': ['PATCH', '', { ...NOTHING, json: {} }],
  'link:delete': ['DELETE', '', NOTHING],
  'link:transfer': ['POST', '/transfer', { ...NOTHING, json: { owner_id: '1' } }],
} as const

describe('the rights that callers are told of', () => {
  let callers: Callers
  let service: TestService
  let users: readonly TestUser[]
  let codes: Readonly<Record<string, string>>

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    const auditor = await service.addUser('auditor')
    const keeper = await service.addUser('keeper')
    const frozen = await service.addUser('frozen')
    users = [callers.admin, callers.editor, callers.other, callers.viewer, auditor, keeper, frozen]
    const row = { ptype: 'p', rule: 'TEST', effect: 'allow', reach: 'any' } as const
    await editPolicy(service, callers.admin.token, {
      add: [
        { ...row, priority: 11, role: 'auditor', action: 'audit:read' },
        { ptype: 'p2', role: 'auditor', action: 'audit:read' },
        { ...row, priority: 12, role: 'keeper', action: 'link:transfer' },
        { ptype: 'p2', role: 'keeper', action: 'link:transfer' },
        // can() would allow it, but no endpoint row lets the role in
        { ...row, priority: 13, role: 'keeper', action: 'user:read' },
        // the endpoint rows of everybody let it in, but can() denies it
        { ...row, priority: 14, role: 'frozen', action: 'link:update', effect: 'deny' },
        { ...row, priority: 15, role: 'frozen', action: 'link:read', effect: 'deny' },
        { ptype: 'p2', role: 'frozen', action: 'policy:read' },
      ],
    })
    const add = async (owner: string | null, change = '') => {
      const code = await addLink(service.db, { owner })
      if (change !== '')
        await service.db.asOwner(
          `with decided as (select set_config('app.decision',
             '{"request_id":"x","revision":1,"layer":"object","subject_role":"x","action":"link:update",
               "relation":"other","effect":"allow","rule":"R3","status":200}', false))
           update links set ${change} from decided where code = $1`,
          [code],
        )
      return code
    }
    const EXPIRED = `expires_at = now() - interval '1 hour', starts_at = null`
    codes = {
      'of an editor': await add(callers.editor.id),
      'of an editor, paused': await add(callers.editor.id, 'active = false'),
      'of an editor, expired': await add(callers.editor.id, EXPIRED),
      'of a viewer': await add(callers.viewer.id),
      'of somebody frozen': await add(frozen.id),
      'of somebody frozen, paused': await add(frozen.id, 'active = false'),
      'of nobody': await add(null),
      'of nobody, paused': await add(null, 'active = false'),
      'not there': freshCode('absent'),
    }
  })
  after(() => service.stop())

  const askFor = (token: string, asked: readonly string[] = Object.values(codes)) =>
    service.request('POST', '/users/me/rights', { token, json: { codes: asked } })
  const expectTruth = async (token: string, who: string) => {
    const told = await askFor(token)
    expect(told.status, told.text).to.equal(200)
    for (const [action, [method, path, options]] of Object.entries(OF_SERVICE)) {
      const real = rightIn(await service.request(method, path, { ...options, token }))
      expect(at(told.json, 'service', action), `${who}, ${action}`).to.include(real)
    }
    const links = new Map(listAt(told.json, 'links').map((each) => [textAt(each, 'code'), each]))
    for (const [what, code] of Object.entries(codes)) {
      const seen = await service.request('GET', `/links/${code}`, { token })
      const manages = (await service.request('PATCH', `/links/${code}`, { token, ...NOTHING, json: {} })).status === 412
      expect(links.has(code), `${who}, a link ${what}: ${seen.text}`).to.equal(seen.status === 200 || manages)
      for (const [action, [method, path, options]] of Object.entries(OF_LINK)) {
        if (!links.has(code)) continue
        const real = rightIn(await service.request(method, `/links/${code}${path}`, { ...options, token }))
        expect(at(links.get(code), 'rights', action), `${who}, ${action}, a link ${what}`).to.include(real)
      }
    }
  }

  it('are those that the routes then give them, for every role, on every kind of link', async () => {
    for (const user of users) await expectTruth(user.token, user.role)
  })

  it('are bounded by the scopes of their token', async () => {
    for (const user of [callers.admin, callers.editor]) {
      for (const scope of [
        'profile:read',
        'profile:read link:update link:read',
        'profile:read policy:read link:delete',
      ])
        await expectTruth(await service.tokenFor(user, scope), `${user.role} with ${scope}`)
    }
  })

  it('name every action of the service, and are asked of the revision that decides', async () => {
    const answer = await askFor(callers.editor.token, [])
    expect(Object.keys(Object(at(answer.json, 'service')))).to.have.members([...ACTIONS])
    expect(answer.json).to.deep.include({
      revision: Number(answer.headers.get('Policy-Revision')),
      role: 'editor',
      links: [],
    })
    expect(at(answer.json, 'service')).to.deep.include({
      'link:create': { allowed: true, layer: 'object', rule: 'R4' },
      'link:delete': { allowed: false, layer: 'object', rule: 'R5' },
      'user:read': { allowed: false, layer: 'endpoint', rule: null },
    })
  })

  it('come in the order of the codes, once for each', async () => {
    const [one = '', two = '', absent = ''] = [codes['of an editor'], codes['of a viewer'], codes['not there']]
    const answer = await askFor(callers.admin.token, [two, absent, one, two])
    expect(listAt(answer.json, 'links').map((each) => at(each, 'code'))).to.deep.equal([two, one])
  })

  it('are told of 100 links at most, and of codes alone', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `absent-${i}`)
    expect((await askFor(callers.editor.token, many(100))).status).to.equal(200)
    expect((await askFor(callers.editor.token, many(101))).status).to.equal(422)
    expect((await askFor(callers.editor.token, ['no code'])).status).to.equal(422)
  })
})
