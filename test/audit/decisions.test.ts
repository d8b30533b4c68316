import { expect } from 'chai'
import { decodeJwt } from 'jose'

import { networkOf } from '../../src/domain/network.js'
import { textAt } from '../support/json.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly request_id: string
    readonly effect: string
    readonly layer: string
    readonly rule: string
    readonly status: number
    readonly action: string
    readonly revision: number
    readonly token_id: string | null
    readonly change?: unknown
    readonly subject: { readonly id: string | null; readonly network: string | null }
    readonly resource: { readonly id: string | null; readonly code: string | null; readonly relation: string }
  }[]
  readonly next_cursor: string | null
}

const isListed = (value: unknown): value is Listed =>
  typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)

const QUESTION = { subject: { type: 'user', id: '1' }, action: { name: 'read' }, resource: { type: 'link', id: 'x' } }

describe('the decision log', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser

  const list = async (query = ''): Promise<Listed> => {
    const { json, text } = await service.request('GET', `/audit/decisions${query}`, { token: admin.token })
    if (!isListed(json)) throw new Error(text)
    return json
  }
  /**
   * Records of refusals come in batches: asks until this request's is there. Asking is recorded too, but is no refusal.
   */
  const recordOf = (requestId: string) =>
    until('the record of the request', async () =>
      (await list('?limit=100&effect=deny')).data.find(({ request_id }) => request_id === requestId),
    )
  const send = async (method: string, path: string, options: Parameters<TestService['request']>[2]) => {
    const { status, headers } = await service.request(method, path, options)
    return { status, requestId: headers.get('X-Request-ID') ?? '' }
  }

  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    editor = await service.addUser('editor')
  })
  after(() => service.stop())

  it('has the record of a change as soon as the change is acknowledged', async () => {
    const { requestId } = await send('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/', code: 'logged' },
    })
    const [record] = (await list('?action=link:create')).data
    expect(record).to.include({
      request_id: requestId,
      effect: 'allow',
      layer: 'object',
      rule: 'R4',
      status: 201,
      revision: 1,
    })
    expect(record?.subject.id).to.equal(editor.id)
    expect(record?.resource.code).to.equal('logged')
  })

  it('has refusals of the gateway, the endpoint and the object layer, each with what decided', async () => {
    const other = await service.addUser('editor')
    const gateway = await send('DELETE', '/links/logged', {})
    expect(await recordOf(gateway.requestId)).to.deep.include({
      effect: 'deny',
      layer: 'gateway',
      rule: 'token_required',
      status: 401,
      action: 'link:delete',
    })
    const endpoint = await send('GET', '/policy', { token: other.token })
    expect(await recordOf(endpoint.requestId)).to.deep.include({
      effect: 'deny',
      layer: 'endpoint',
      rule: 'role_not_allowed',
      status: 403,
      action: 'policy:read',
    })
    const object = await send('DELETE', '/links/logged', { token: other.token })
    const record = await recordOf(object.requestId)
    expect(record).to.deep.include({ effect: 'deny', layer: 'object', rule: 'R5', status: 403, action: 'link:delete' })
    const { json: link } = await service.request('GET', '/links/logged', { token: editor.token })
    expect(record.resource).to.deep.include({ id: textAt(link, 'id'), code: 'logged', relation: 'other' })
  })

  it('names an anonymous caller by their network alone', async () => {
    const { requestId } = await send('DELETE', '/links/logged', {})
    expect((await recordOf(requestId)).subject).to.deep.include({ id: null, network: '127.0.0.0/24' })
    expect([
      networkOf('203.0.113.9'),
      networkOf('::ffff:203.0.113.9'),
      networkOf('2001:db8:1:2::3'),
      networkOf('::1'),
    ]).to.deep.equal(['203.0.113.0/24', '203.0.113.0/24', '2001:db8:1::/48', '::/48'])
  })

  it('names the user and the token of a refusal by the gateway, where the token was valid', async () => {
    const suspended = await service.addUser('editor')
    await service.request('PATCH', `/users/${suspended.id}`, { token: admin.token, json: { suspended: true } })
    const made = await service.request('POST', '/users/me/tokens', {
      token: editor.token,
      json: { name: 'reads', scopes: ['link:read'], expires_in: 600 },
    })
    for (const [user, rule, token] of [
      [editor, 'insufficient_scope', await service.tokenFor(editor, 'link:read')],
      [editor, 'insufficient_scope', textAt(made.json, 'token')],
      [suspended, 'invalid_token', suspended.token],
    ] as const) {
      const { requestId } = await send('DELETE', '/links/logged', { token })
      const record = await recordOf(requestId)
      expect(record).to.deep.include({ layer: 'gateway', rule })
      expect(record.subject, rule).to.deep.equal({ id: user.id, role: 'editor', network: null })
      expect(record.token_id).to.equal(
        token === textAt(made.json, 'token') ? `personal:${textAt(made.json, 'id')}` : decodeJwt(token).jti,
      )
    }
    const forged = await send('DELETE', '/links/logged', { token: `${editor.token.slice(0, -4)}AAAA` })
    const record = await recordOf(forged.requestId)
    expect([record.subject.id, record.token_id], 'a claim that nobody verified names nobody').to.deep.equal([
      null,
      null,
    ])
  })

  it('records a request whose path no column can hold', async () => {
    await send('DELETE', '/links/%00', {})
    const { requestId } = await send('DELETE', '/links/%ED%A0%80', {})
    expect((await recordOf(requestId)).resource.code).to.equal(null)
  })

  it('has an allowed request that changed nothing', async () => {
    const nobody = await service.addUser('editor')
    for (const [action, method, path, user, json] of [
      ['link:update', 'PATCH', '/links/logged', editor, {}],
      ['profile:update', 'PATCH', '/users/me', editor, {}],
      ['link:transfer', 'POST', `/users/${nobody.id}/links/transfer`, admin, { owner_id: editor.id }],
      ['profile:read', 'POST', '/users/me/rights', editor, { codes: ['logged'] }],
      ['policy:evaluate', 'POST', '/access/v1/evaluation', admin, QUESTION],
    ] as const) {
      const { requestId } = await send(method, path, { token: user.token, json })
      await until(`${action} is recorded`, async () =>
        (await list(`?action=${action}&limit=100`)).data.some(({ request_id }) => request_id === requestId),
      )
    }
  })

  it('says what a changed link was called before, and whose it was', async () => {
    await service.request('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/', code: 'moving' },
    })
    await service.request('PATCH', '/links/moving', { token: editor.token, json: { code: 'moved' } })
    await service.request('POST', '/links/moved/transfer', { token: admin.token, json: { owner_id: admin.id } })
    const { data } = await list('?link=moved')
    expect(data.map(({ action, change }) => [action, change])).to.deep.equal([
      ['link:transfer', { owner: [editor.id, admin.id] }],
      ['link:update', { code: ['moving', 'moved'] }],
    ])
  })

  it('keeps public reads where a setting says so', async () => {
    const other = await startTestService({ db: service.db, environment: { AUDIT_PUBLIC_READS: 'on' } })
    const { headers } = await other.request('GET', '/logged')
    await other.stop()
    const [record] = await service.db.asOwner(
      'select action, effect, rule, relation, resource_code, network, status from decisions where request_id = $1',
      [headers.get('X-Request-ID')],
    )
    expect(record).to.deep.equal({
      action: 'link:read',
      effect: 'allow',
      rule: 'R1',
      relation: 'anonymous',
      resource_code: 'logged',
      network: '127.0.0.0/24',
      status: 302,
    })
  })

  it('is in one order with the changes of users and of the policy', async () => {
    const before = await list('?limit=1')
    const subject = await service.addUser('viewer')
    await send('PATCH', `/users/${subject.id}`, { token: admin.token, json: { suspended: true } })
    const { json } = await service.request('GET', '/audit/timeline?limit=100', { token: admin.token })
    if (!isListed(json)) throw new Error('no page')
    const since = json.data.filter(({ id }) => BigInt(id) > BigInt(before.data[0]?.id ?? 0)).toReversed()
    expect(
      since
        .filter(({ resource }) => resource.code === subject.id)
        .map((entry) => ('kind' in entry ? [entry.kind, entry.action, 'change' in entry ? entry.change : null] : null)),
    ).to.deep.equal([
      ['user', null, { what: 'added', role: [null, 'viewer'], by: 'linkgate_service' }],
      ['decision', 'user:update', null],
      ['user', null, { what: 'changed', suspended: [false, true] }],
    ])
    const { json: policies } = await service.request('GET', '/audit/timeline?kind=policy', { token: admin.token })
    if (!isListed(policies)) throw new Error('no page')
    expect(policies.data.map(({ resource }) => resource.code)).to.deep.equal(['1'])
  })

  it('is exported whole, as csv and ndjson, with the same filters', async () => {
    const all = (await list('?user=' + editor.id + '&limit=100')).data.toReversed()
    const ndjson = await service.request('GET', `/audit/decisions?format=ndjson&user=${editor.id}`, {
      token: admin.token,
    })
    expect(ndjson.headers.get('Content-Type')).to.equal('application/x-ndjson')
    expect(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).to.deep.equal(all)
    const csv = await service.request('GET', `/audit/decisions?format=csv&user=${editor.id}`, { token: admin.token })
    expect(csv.text.trimEnd().split('\n')).to.have.length(all.length + 1)
    expect(csv.headers.get('Content-Disposition')).to.equal('attachment; filename="decisions.csv"')
    expect(
      (await service.request('GET', '/audit/decisions?format=csv&cursor=x', { token: admin.token })).json,
    ).to.deep.include({ code: 'invalid_query' })
    expect((await service.request('GET', '/audit/timeline?format=csv', { token: editor.token })).status).to.equal(403)
  })

  it('keeps no public reads', async () => {
    const { requestId } = await send('GET', '/logged', {})
    const { requestId: later } = await send('DELETE', '/links/logged', {})
    await recordOf(later)
    expect((await list('?limit=100')).data.map(({ request_id }) => request_id)).not.to.include(requestId)
  })

  it('pages without gaps and filters by user, effect, rule and time', async () => {
    const all = (await list('?limit=100')).data.map(({ id }) => id)
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    // every listing is a decision of its own, so newer ones may have come before these
    const paged = [...first.data, ...second.data].map(({ id }) => BigInt(id))
    expect(paged).to.deep.equal(paged.toSorted((a, b) => (a < b ? 1 : -1)))
    expect(all.length).to.be.greaterThan(4)
    expect((await list(`?user=${editor.id}`)).data.every(({ subject }) => subject.id === editor.id)).to.equal(true)
    expect((await list('?effect=deny')).data.every(({ effect }) => effect === 'deny')).to.equal(true)
    expect((await list('?rule=R5')).data.every(({ rule }) => rule === 'R5')).to.equal(true)
    expect((await list('?to=2000-01-01T00:00:00Z')).data).to.deep.equal([])
    expect((await service.request('GET', '/audit/decisions?effect=maybe', { token: admin.token })).status).to.equal(400)
  })

  it('filters by layer, status or class of statuses, revision and request', async () => {
    const { requestId: refused } = await send('GET', '/policy', { token: editor.token })
    const { requestId: anonymous } = await send('DELETE', '/links/logged', {})
    await recordOf(anonymous)
    const idsOf = async (query: string) => (await list(`?limit=100&${query}`)).data.map(({ request_id }) => request_id)
    for (const [query, fits] of [
      ['layer=endpoint', ({ layer }) => layer === 'endpoint'],
      ['layer=object', ({ layer }) => layer === 'object'],
      ['status=403', ({ status }) => status === 403],
      ['status=4xx', ({ status }) => status >= 400 && status < 500],
      ['status=2xx', ({ status }) => status >= 200 && status < 300],
      ['revision=1', ({ revision }) => revision === 1],
      [`request=${refused}`, ({ request_id }) => request_id === refused],
    ] as const satisfies readonly (readonly [string, (entry: Listed['data'][number]) => boolean])[]) {
      const { data } = await list(`?limit=100&${query}`)
      expect(data, query).not.to.have.length(0)
      expect(
        data.filter((entry) => !fits(entry)),
        query,
      ).to.deep.equal([])
    }
    expect(await idsOf('layer=endpoint'))
      .to.include(refused)
      .and.not.to.include(anonymous)
    expect(await idsOf('status=4xx'))
      .to.include(refused)
      .and.to.include(anonymous)
    expect(await idsOf('status=401&layer=gateway'))
      .to.include(anonymous)
      .and.not.to.include(refused)
    for (const nothing of ['status=5xx', 'layer=data', 'revision=99', 'request=unknown'])
      expect(await idsOf(nothing), nothing).to.deep.equal([])
    for (const wrong of ['status=6xx', 'status=40', 'status=4x3', 'layer=http', 'revision=one', 'request=%20'])
      expect(
        (await service.request('GET', `/audit/decisions?${wrong}`, { token: admin.token })).status,
        wrong,
      ).to.equal(400)
  })

  it('filters by the e-mail address of a user, in any case, as by their id', async () => {
    const byId = (await list(`?limit=100&user=${editor.id}`)).data
    expect(byId).not.to.have.length(0)
    for (const address of [editor.email, editor.email.toUpperCase()])
      expect((await list(`?limit=100&user=${encodeURIComponent(address)}`)).data).to.deep.equal(byId)
    expect((await list('?user=nobody@example.com')).data).to.deep.equal([])
    expect((await list('?user=%25@example.com')).data, 'no pattern').to.deep.equal([])
    const { text } = await service.request('GET', `/audit/timeline?format=ndjson&user=${editor.email}`, {
      token: admin.token,
    })
    expect(text.trimEnd().split('\n').length).to.be.at.least(byId.length)
    expect((await service.request('GET', '/audit/decisions?user=ann', { token: admin.token })).status).to.equal(400)
  })

  it('can be read where the policy allows it, and changed by nobody', async () => {
    expect((await service.request('GET', '/audit/decisions', { token: editor.token })).status).to.equal(403)
    for (const role of ['audit_writer', 'audit_reader', 'links_own', 'links_any', 'policy_editor', 'identity']) {
      for (const statement of ['update decisions set rule = $1', 'delete from decisions where rule = $1']) {
        const tried = service.database.flush([
          { text: 'select enter($1, null)', values: [role] },
          { text: statement, values: ['R1'] },
        ])
        expect(
          await tried.then(
            () => 'done',
            (error: Error) => error.message,
          ),
          `${role}: ${statement}`,
        ).to.match(/permission denied/)
      }
    }
  })
})
