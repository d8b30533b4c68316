import { expect } from 'chai'

import { at, textAt } from '../support/json.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import { addDeletedLink, addLink, freshCode, storedLink, storedLinks } from '../support/records.js'
import { requestOf } from '../support/samples.js'
import type { TestService, TestUser } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

// What each caller may do to each record is in test/matrix/; here is what happens where an identifier means another
// record than it seems to.

const ABSENT_ID = '4611686018427387904'

describe('an identifier', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  const ask = (
    by: TestUser,
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => service.request(method, path, { token: by.token, headers, ...(json === undefined ? {} : { json }) })
  const stolen = { target: 'https://example.com/stolen' }

  it('is taken by these routes, each of which is tried below', () => {
    expect(
      service.routes.filter(({ path }) => path.includes(':')).map(({ method, path }) => `${method} ${path}`),
    ).to.have.members([
      'get /links/:code',
      'get /links/:code/qr',
      'get /links/:code/rights',
      'get /links/:code/visits',
      'get /links/:code/visits/export',
      'get /links/:code/visits/live',
      'patch /links/:code',
      'delete /links/:code',
      'post /links/:code/transfer',
      'post /links/:id/restore',
      'post /users/:id/links/transfer',
      'get /:code',
      'get /:code+',
      'post /:code',
      'get /users/:id',
      'patch /users/:id',
      'delete /users/:id',
      'delete /users/me/tokens/:id',
      'delete /users/me/sign-ins/:id',
      'delete /users/invitations/:id',
      'get /policy/revisions/:revision',
      'post /policy/revisions/:revision/restore',
      'get /policy/proposals/:id',
      'post /policy/proposals/:id/approve',
      'post /policy/proposals/:id/decline',
      'delete /policy/proposals/:id',
      'get /audit/requests/:request_id',
      'get /invitations/:token/accept',
      'post /invitations/:token/accept',
      'get /docs/:page',
      'get /console/assets/:file',
      'get /console/:page',
      'get /console/:page/:name',
    ])
  })

  it('of a link that was deleted is 404 for everybody, and of one that another made anew is theirs', async () => {
    const { editor, other, admin } = callers
    const code = await addLink(service.db, { owner: editor.id })
    const tag = (await ask(editor, 'GET', `/links/${code}`)).headers.get('ETag') ?? ''
    expect((await ask(editor, 'DELETE', `/links/${code}`)).status).to.equal(204)
    for (const by of [editor, other, admin]) {
      for (const [method, json] of [
        ['GET', undefined],
        ['PATCH', stolen],
        ['DELETE', undefined],
      ] as const)
        expect((await ask(by, method, `/links/${code}`, json)).status, `${by.role} ${method}`).to.equal(404)
    }
    for (const path of [`/${code}`, `/${code}+`, `/links/${code}/qr`])
      expect((await service.request('GET', path)).status).to.equal(404)
    const visits = ['', '/export', '/live?limit=1'].map((rest) => `/links/${code}/visits${rest}`)
    for (const path of visits) expect((await ask(editor, 'GET', path)).status, path).to.equal(404)
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'password=x' }
    expect((await service.request('POST', `/${code}`, form)).status).to.equal(404)
    expect((await ask(other, 'POST', '/links', { code, target: 'https://example.com/theirs' })).status).to.equal(201)
    for (const headers of [{}, { 'If-Match': tag }, { 'If-Match': '*' }]) {
      expect((await ask(editor, 'PATCH', `/links/${code}`, stolen, headers)).json).to.include({
        status: 403,
        rule: 'R5',
      })
      expect((await ask(editor, 'DELETE', `/links/${code}`, undefined, headers)).json).to.include({
        status: 403,
        rule: 'R5',
      })
    }
    for (const path of visits)
      expect((await ask(editor, 'GET', path)).json, path).to.include({ status: 403, rule: 'R5' })
    // the tag of the old one is not that of the new one, for who may change both
    expect((await ask(admin, 'DELETE', `/links/${code}`, undefined, { 'If-Match': tag })).status).to.equal(412)
    expect(await storedLink(service.db, code)).to.deep.equal({
      code,
      target: 'https://example.com/theirs',
      owner_id: other.id,
    })
  })

  it('of another’s link, live or deleted, gives nothing away and brings nothing back', async () => {
    const { editor, other } = callers
    const live = await addLink(service.db, { owner: editor.id })
    const deleted = await addDeletedLink(service.db, editor.id)
    const [{ id = '' } = {}] = await service.db.asOwner<{ id: string }>('select id from links where code = $1', [live])
    for (const [path, json, status] of [
      [`/links/${live}/transfer`, { owner_id: other.id }, 403],
      [`/users/${editor.id}/links/transfer`, { owner_id: other.id }, 403],
      [`/links/${deleted}/restore`, {}, 403],
      [`/links/${deleted}/restore`, { owner_id: other.id }, 403],
      // the id of a link that is there names nothing in the trash, and the id of a deleted one is no code
      [`/links/${id}/restore`, {}, 404],
      [`/links/${deleted}/transfer`, { owner_id: other.id }, 403],
    ] as const)
      expect((await ask(other, 'POST', path, json)).status, path).to.equal(status)
    expect(await storedLink(service.db, live)).to.include({ owner_id: editor.id })
    expect(await service.db.asOwner('select owner_id from deleted_links where id = $1', [deleted])).to.deep.equal([
      { owner_id: editor.id },
    ])
  })

  it('of another’s personal token, of an expired one, and of none give the same 404, to an admin too', async () => {
    const { editor, other, admin } = callers
    const made = await ask(editor, 'POST', '/users/me/tokens', { name: 'a key', scopes: ['profile:read'] })
    const [id, value] = [textAt(made.json, 'id'), textAt(made.json, 'token')]
    const over = textAt((await ask(other, 'POST', '/users/me/tokens', { name: 'a key', scopes: [] })).json, 'id')
    expect((await ask(other, 'DELETE', `/users/me/tokens/${over}`)).status).to.equal(204)
    const shapes = new Set<string>()
    for (const [by, each] of [
      [other, id],
      [admin, id],
      [other, over],
      [other, ABSENT_ID],
    ] as const) {
      const answer = await ask(by, 'DELETE', `/users/me/tokens/${each}`)
      expect(answer.status).to.equal(404)
      shapes.add(answer.text.replace(/"request_id":"[^"]+"/, ''))
    }
    expect([...shapes]).to.have.length(1)
    expect((await service.request('GET', '/users/me', { token: value })).status, 'still alive').to.equal(200)
    expect((await ask(editor, 'DELETE', `/users/me/tokens/${id}`)).status).to.equal(204)
    expect((await service.request('GET', '/users/me', { token: value })).status).to.equal(401)
  })

  it('of a user moves nobody who is not named, and says nothing to who may not read users', async () => {
    const { editor, other, admin } = callers
    const users = () => service.db.asOwner('select id, role, suspended_at is null as active from users order by id')
    const before = await users()
    for (const id of [editor.id, other.id, admin.id, ABSENT_ID]) {
      for (const [method, json] of [
        ['GET', undefined],
        ['PATCH', { role: 'admin' }],
        ['PATCH', { suspended: true }],
        ['DELETE', undefined],
      ] as const) {
        expect((await ask(editor, method, `/users/${id}`, json)).status, `${method} ${id}`).to.be.oneOf([403, 404])
      }
    }
    expect((await ask(admin, 'PATCH', `/users/${ABSENT_ID}`, { role: 'viewer' })).status).to.equal(404)
    expect(await users()).to.deep.equal(before)
  })

  it('of a revision, a request’s records or an invitation gives nothing without right or secret', async () => {
    const { editor, viewer } = callers
    for (const by of [editor, viewer]) {
      for (const [method, path, json] of [
        ['GET', '/policy/revisions/1', undefined],
        ['POST', '/policy/revisions/1/restore', { reason: 'x' }],
        ['GET', '/policy/proposals/1', undefined],
        ['POST', '/policy/proposals/1/approve', {}],
        ['POST', '/policy/proposals/1/decline', { reason: 'x' }],
        ['DELETE', '/policy/proposals/1', undefined],
        ['DELETE', '/users/invitations/1', undefined],
        ['GET', '/audit/requests/x', undefined],
      ] as const) {
        expect((await ask(by, method, path, json, { 'If-Match': '"1"' })).json, path).to.include({ status: 403 })
      }
    }
    for (const id of ['0', '01', '-1', 'x', '1%20or%201=1', '9'.repeat(20), ABSENT_ID]) {
      expect((await ask(callers.admin, 'DELETE', `/users/invitations/${id}`)).status, id).to.equal(404)
      for (const how of ['approve', 'decline'])
        expect(
          (await ask(callers.admin, 'POST', `/policy/proposals/${id}/${how}`, { reason: 'x' })).status,
          id,
        ).to.equal(404)
    }
    for (const token of ['1', 'x', 'A'.repeat(43), '%27%20or%201=1']) {
      expect((await service.request('GET', `/invitations/${token}/accept`)).status, token).to.equal(404)
      expect(
        (
          await service.request('POST', `/invitations/${token}/accept`, {
            json: { name: 'Eve', password: 'a long password' },
          })
        ).status,
        token,
      ).to.equal(404)
    }
  })

  it('in a body or a query beside the one in the path is refused, and neither row changes', async () => {
    const { editor, other, admin } = callers
    const [mine, theirs] = [
      await addLink(service.db, { owner: editor.id }),
      await addLink(service.db, { owner: other.id }),
    ]
    const stored = await storedLinks(service.db)
    const users = () => service.db.asOwner('select * from users order by id')
    const usersBefore = await users()
    for (const json of [
      { id: '1', ...stolen },
      { owner_id: other.id, ...stolen },
      { owner_id: editor.id },
      { links: [theirs] },
      { _id: '1' },
    ]) {
      expect((await ask(editor, 'PATCH', `/links/${mine}`, json)).status, JSON.stringify(json)).to.equal(422)
    }
    for (const json of [
      { id: other.id, role: 'viewer' },
      { user_id: other.id, role: 'viewer' },
    ]) {
      expect((await ask(admin, 'PATCH', `/users/${editor.id}`, json)).status, JSON.stringify(json)).to.equal(422)
    }
    expect((await ask(admin, 'PATCH', `/users/${editor.id}`, { email: other.email })).status).to.equal(409)
    expect((await ask(editor, 'PATCH', '/users/me', { id: other.id, name: 'x' })).status).to.equal(422)
    for (const body of [
      `{"code":"${mine}","code":"${theirs}"}`,
      `{"target":"https://example.com/","code":"a","c\\u006fde":"${theirs}"}`,
    ]) {
      const answer = await service.request('PATCH', `/links/${mine}`, {
        token: editor.token,
        body,
        headers: { 'Content-Type': 'application/json' },
      })
      expect(answer.status, body).to.equal(422)
    }
    for (const query of [
      `code=${theirs}`,
      `code=${mine}&code=${theirs}`,
      'id=1',
      `owner_id=${editor.id}`,
      '_method=DELETE',
      '',
    ]) {
      for (const method of ['PATCH', 'DELETE']) {
        if (query === '') continue
        expect(
          (await ask(editor, method, `/links/${mine}?${query}`, method === 'PATCH' ? stolen : undefined)).json,
          `${method} ?${query}`,
        ).to.include({ status: 400, code: 'invalid_query' })
      }
    }
    for (const query of [
      `owner_id=${editor.id}&owner_id=${other.id}`,
      `owner_id=${editor.id},${other.id}`,
      `owner_id[]=${other.id}`,
    ]) {
      expect((await ask(editor, 'GET', `/links?${query}`)).status, query).to.equal(400)
    }
    expect(await storedLinks(service.db)).to.deep.equal(stored)
    expect(await users()).to.deep.equal(usersBefore)
  })

  it('in a change that names a code of another is 409, and says no more of that row', async () => {
    const { editor, other } = callers
    const [mine, theirs] = [
      await addLink(service.db, { owner: editor.id }),
      await addLink(service.db, { owner: other.id, target: 'https://example.com/secret-target' }),
    ]
    for (const answer of [
      await ask(editor, 'POST', '/links', { code: theirs, target: 'https://example.com/' }),
      await ask(editor, 'PATCH', `/links/${mine}`, { code: theirs }),
    ]) {
      expect(answer.json).to.include({ status: 409, code: 'code_taken' })
      expect(answer.text).to.not.include('secret-target').and.not.include(`"${other.id}"`)
    }
    expect(await storedLink(service.db, theirs)).to.include({
      owner_id: other.id,
      target: 'https://example.com/secret-target',
    })
  })

  it('a sort, a filter or a field that is not public is 400, whatever it names', async () => {
    const { admin } = callers
    for (const name of [
      't1.x',
      'links.owner_id',
      'password_hash',
      'users.password_hash',
      'owner_id',
      'id',
      'version',
      '1',
      'code,password_hash',
      '(select 1)',
      'code desc',
      'CODE',
      '-',
    ]) {
      expect((await ask(admin, 'GET', `/links?sort=${encodeURIComponent(name)}`)).json, name).to.include({
        status: 400,
        code: 'invalid_query',
      })
      for (const path of [
        '/links',
        '/links/export',
        '/users',
        '/audit/decisions',
        '/policy/revisions',
        '/policy/decisions',
      ]) {
        const parameter = name === 'owner_id' && path.startsWith('/links') ? 'owner' : name
        expect(
          (await ask(admin, 'GET', `${path}?${encodeURIComponent(parameter)}=1`)).json,
          `${path}?${name}`,
        ).to.include({ status: 400, code: 'invalid_query' })
        expect((await ask(admin, 'GET', `${path}?fields=${encodeURIComponent(name)}`)).status).to.equal(400)
        if (path !== '/links')
          expect((await ask(admin, 'GET', `${path}?sort=${encodeURIComponent(name)}`)).status).to.equal(400)
      }
    }
  })
})

/** Other spellings of a path that some servers, or proxies before them, take for the plain one. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'a trailing slash': (path) => `${path}/`,
  'two slashes': (path) => `/${path}`,
  'two slashes inside': (path) => path.replaceAll(/(?<=.)\//g, '//'),
  capitals: (path) => path.toUpperCase(),
  'an encoded slash': (path) => `/${path.slice(1).replaceAll('/', '%2F')}`,
  'an encoded slash at the end': (path) => `${path}%2f`,
  'an encoded slash at the start': (path) => `/%2f${path.slice(1)}`,
  'a backslash': (path) => path.replaceAll(/(?<=.)\//g, '\\'),
  'a matrix parameter': (path) => `${path};a=b`,
  'a matrix parameter before it': (path) => `/;a=b${path}`,
  'an empty matrix parameter': (path) => `${path};`,
  'a dot segment': (path) => `/.${path}`,
  'a dot segment at the end': (path) => `${path}/.`,
  'a way up from a public path': (path) => `/healthz/..${path}`,
  'a way up in disguise': (path) => `/healthz/..;${path}`,
  'an encoded way up': (path) => `/healthz/%2e%2e${path}`,
  'an ending': (path) => `${path}.json`,
  'a space': (path) => `${path}%20`,
  'a NUL': (path) => `${path}%00`,
  'a line break': (path) => `${path}%0a`,
  'an encoded question mark': (path) => `${path}%3f`,
  'a fragment': (path) => `${path}#x`,
  'its first letter encoded': (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  'its first letter encoded twice': (path) => `/%25${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  'a full-width slash': (path) => path.replaceAll(/(?<=.)\//g, '%ef%bc%8f'),
  'an overlong slash': (path) => path.replaceAll(/(?<=.)\//g, '%c0%af'),
  'the absolute form, for another host': (path) => `http://evil.example${path}`,
  'the absolute form, without a path of its own': (path) => `http://evil.example\\${path}`,
}

/** Headers that some servers read another method, path or caller from. */
const OVERRIDES: Readonly<Record<string, string>> = {
  'X-HTTP-Method-Override': 'DELETE',
  'X-HTTP-Method': 'DELETE',
  'X-Method-Override': 'DELETE',
  'X-Original-URL': '/users',
  'X-Rewrite-URL': '/users',
  'X-Original-Method': 'DELETE',
  'X-Forwarded-Method': 'DELETE',
  'X-Forwarded-User': '1',
  'X-Remote-User': 'admin',
  'Remote-User': 'admin',
  'X-User-ID': '1',
  'X-Role': 'admin',
  'X-Caller': '1',
  'X-Forwarded-For': '127.0.0.1',
  'X-Real-IP': '127.0.0.1',
  'X-Admin': 'true',
}

describe('another spelling of a request', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  const raw = (method: string, path: string, headers: readonly string[] = []) =>
    sendRaw(
      service.baseUrl,
      [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, 'Connection: close', '', ''].join('\r\n'),
    )

  it('gets nobody without a token into a protected route: 400, 401, 404 or 405, whatever the method', async () => {
    const code = await addLink(service.db, { owner: callers.editor.id })
    const before = await storedLinks(service.db)
    for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
      const { method, path } = requestOf(route, route.path.includes(':code') ? code : callers.editor.id)
      const [bare = path] = path.split('?')
      const answers = await Promise.all(
        Object.entries(SPELLINGS).flatMap(([what, spell]) =>
          [...new Set([method, 'GET', 'HEAD'])].map(async (each) => ({
            what,
            each,
            status: statusOf(await raw(each, spell(bare))),
          })),
        ),
      )
      for (const { what, each, status } of answers) {
        // what is public is shown to everybody: a link, read under its code
        const isPublic = (each !== method || method === 'GET') && route.path === '/links/:code'
        expect(status, `${each} ${bare} with ${what}`).to.be.oneOf(
          isPublic ? [200, 400, 404, 405] : [400, 401, 404, 405],
        )
      }
    }
    expect(await storedLinks(service.db)).to.deep.equal(before)
  })

  it('of another’s link deletes nothing, and no header or parameter makes one of another method', async () => {
    const code = await addLink(service.db, { owner: callers.other.id })
    const before = await storedLink(service.db, code)
    const authorization = `Authorization: Bearer ${callers.editor.token}`
    for (const [what, spell] of Object.entries(SPELLINGS)) {
      expect(statusOf(await raw('DELETE', spell(`/links/${code}`), [authorization])), what).to.be.oneOf([
        400, 403, 404, 405,
      ])
    }
    for (const [name, value] of Object.entries(OVERRIDES)) {
      for (const token of [[], [authorization]]) {
        expect(statusOf(await raw('GET', `/links/${code}`, [`${name}: ${value}`, ...token])), name).to.equal(200)
        expect(statusOf(await raw('POST', `/links/${code}`, [`${name}: ${value}`, ...token])), name).to.equal(405)
        expect(statusOf(await raw('GET', '/users', [`${name}: ${value}`, ...token])), name).to.equal(
          token.length === 0 ? 401 : 403,
        )
        expect(statusOf(await raw('DELETE', `/links/${code}`, [`${name}: ${value}`, ...token])), name).to.equal(
          token.length === 0 ? 401 : 403,
        )
        expect(await raw('GET', '/healthz', [`${name}: ${value}`, ...token])).to.include('{"status":"ok"}')
      }
    }
    const form = await service.request('POST', `/links/${code}`, {
      token: callers.editor.token,
      body: '_method=DELETE',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(form.status).to.equal(405)
    expect(await storedLink(service.db, code)).to.deep.equal(before)
  })

  it('by HEAD asks the same of a caller as GET does', async () => {
    const absent = freshCode('absent')
    for (const route of service.routes.filter(({ method }) => method === 'get')) {
      const { path, options } = requestOf(route, route.path.includes(':id') ? callers.editor.id : absent)
      for (const token of [undefined, callers.viewer.token, callers.admin.token]) {
        const [get, head] = [
          await service.request('GET', path, { ...options, token }),
          await service.request('HEAD', path, { ...options, token }),
        ]
        expect([head.status, head.text], `${path}: ${get.text.slice(0, 100)}`).to.deep.equal([get.status, ''])
        expect(at(get.json, 'status') ?? get.status).to.not.equal(500)
      }
    }
  })

  it('of a page of the documentation names that page, and no file', async () => {
    expect((await service.request('GET', '/docs/visits')).status).to.equal(200)
    for (const name of ['..%2fpackage.json', 'visits.md', 'site.json', 'Visits', '%00', 'constructor', '__proto__'])
      expect((await service.request('GET', `/docs/${name}`)).status, name).to.equal(404)
  })
})
