import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

import { expect } from 'chai'

import { createAccounts } from '../../src/identity/accounts.js'
import { parseClaims } from '../../src/layers/1-gateway/claims.js'
import { at } from '../support/json.js'
import { openIdIssuer, type OpenIdIssuer } from '../support/openid-issuer.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import { signRaw } from '../support/raw-token.js'
import { addLink, storedLink } from '../support/records.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

// What a hostile token may look like is in test/layers/1-gateway/token.test.ts; here is what it may make the service
// do.

/** A server that a token points at, and the number of connections that it got. */
const startBait = async (): Promise<{
  readonly url: string
  readonly connections: () => number
  readonly stop: () => Promise<void>
}> => {
  let connections = 0
  const server: Server = createServer((_, response) => response.end('{"keys":[]}')).on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const isAddress = (address: ReturnType<Server['address']>): address is AddressInfo =>
    typeof address === 'object' && address !== null
  const address = server.address()
  if (!isAddress(address)) throw new Error('no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }),
  }
}

describe('a token that points elsewhere', () => {
  let bait: Awaited<ReturnType<typeof startBait>>
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  before(async () => {
    bait = await startBait()
  })
  after(() => bait.stop())

  /** Headers that name a place where a key, a certificate or a schema could be had, or that bring the key along. */
  const pointers = (): readonly Readonly<Record<string, unknown>>[] => [
    { jku: `${bait.url}/jwks.json` },
    { x5u: `${bait.url}/cert.pem` },
    { kid: `${bait.url}/key` },
    { kid: '../../../../dev/null' },
    { kid: "' union select 'key' --" },
    { jwk: stranger.publicKey.export({ format: 'jwk' }) },
    { x5c: ['MIIB'] },
    { jku: bait.url, x5u: bait.url, crit: ['jku', 'x5u'] },
    { iss: bait.url, jku: `${bait.url}/jwks` },
  ]
  const claims = (iss: string, aud: string) => {
    const now = Math.floor(Date.now() / 1_000)
    return { iss, aud, sub: '1', jti: 'j', iat: now, exp: now + 600, scope: 'profile:read' }
  }
  const shapeOf = (text: string) => text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')

  it('is 401 of one shape, and nobody is asked for anything: with the own issuer', async () => {
    const service = await startTestService()
    try {
      const good = await service.tokenFor({ id: '1' })
      const [head = '', payload = ''] = good.split('.')
      const { iss, aud }: { iss: string; aud: string } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
      const own: Readonly<Record<string, unknown>> = JSON.parse(Buffer.from(head, 'base64url').toString('utf8'))
      const shapes = new Set<string>()
      for (const pointer of pointers()) {
        for (const issuer of [iss, bait.url]) {
          const answer = await service.request('GET', '/users/me', {
            token: signRaw(stranger.privateKey, { ...own, ...pointer }, claims(issuer, aud)),
          })
          expect(answer.status, answer.text).to.equal(401)
          shapes.add(shapeOf(answer.text))
        }
      }
      expect([...shapes]).to.have.length(1)
      expect(bait.connections()).to.equal(0)
    } finally {
      await service.stop()
    }
  })

  it('is 401 of one shape, and nobody but the issuer is asked: with an external issuer’s signature', async () => {
    const issuer: OpenIdIssuer = await openIdIssuer()
    const service = await startTestService({ environment: { JWT_ISSUER: issuer.url, JWT_AUDIENCE: issuer.audience } })
    try {
      await createAccounts(service.database).add(
        { email: 'ada@example.com', role: 'admin', name: 'Ada', passwordHash: null },
        { issuer: issuer.url, subject: '1' },
      )
      expect(
        (
          await service.request('GET', '/users/me', {
            token: issuer.forge('ES256', claims(issuer.url, issuer.audience)),
          })
        ).status,
        'without a pointer',
      ).to.equal(200)
      const asked = issuer.asked.length
      for (const pointer of pointers().filter((each) => each['kid'] === undefined)) {
        const answer = await service.request('GET', '/users/me', {
          token: issuer.forge('ES256', claims(issuer.url, issuer.audience), pointer),
        })
        expect(answer.json, JSON.stringify(pointer)).to.include({ status: 401, code: 'invalid_token' })
      }
      expect(issuer.asked).to.have.length(asked)
      expect(bait.connections()).to.equal(0)
    } finally {
      await service.stop()
      await issuer.stop()
    }
  })

  it('and the bait would notice', async () => {
    const before = bait.connections()
    await (await fetch(bait.url)).text()
    expect(bait.connections()).to.equal(before + 1)
  })
})

describe('a good token in the wrong place', () => {
  let service: TestService
  let editor: TestUser
  before(async () => {
    service = await startTestService()
    editor = await service.addUser('admin')
  })
  after(() => service.stop())

  it('counts for nothing in a query, a body or a cookie: 401 on every route that needs one', async () => {
    const { token } = editor
    const inBody = { access_token: token, token, authorization: `Bearer ${token}` }
    const form = `access_token=${token}&token=${token}`
    for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
      const { method, path, options } = requestOf(route, editor.id)
      const query = `${path.includes('?') ? '&' : '?'}${form}&authorization=Bearer%20${token}`
      const cookie = { Cookie: `access_token=${token}; token=${token}; Authorization=Bearer ${token}` }
      const elsewhere = {
        'X-Authorization': `Bearer ${token}`,
        'Proxy-Authorization': `Bearer ${token}`,
        'X-Access-Token': token,
        'X-Api-Key': token,
      }
      const tries = [
        service.request(method, path + query, options),
        service.request(method, path, { ...options, headers: { ...options.headers, ...cookie } }),
        service.request(method, path, { ...options, headers: { ...options.headers, ...elsewhere } }),
        ...(method === 'GET'
          ? []
          : [
              service.request(method, path, { ...options, json: { ...Object(options.json), ...inBody } }),
              service.request(method, path, {
                body: form,
                headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
              }),
            ]),
      ]
      for (const { json } of await Promise.all(tries))
        expect(json, `${method} ${path}`).to.include({ status: 401, code: 'token_required' })
    }
  })

  it('twice is 400, whichever two they are, and nothing is done', async () => {
    const code = await addLink(service.db, { owner: editor.id })
    const [good, bad] = [`Bearer ${editor.token}`, 'Bearer nonsense']
    for (const lines of [
      [good, good],
      [good, bad],
      [bad, good],
      [good, 'Basic YTpi'],
      [good, ''],
    ]) {
      const said = await sendRaw(
        service.baseUrl,
        [
          `DELETE /links/${code} HTTP/1.1`,
          'Host: x',
          ...lines.map((line) => `Authorization: ${line}`),
          'Connection: close',
          '',
          '',
        ].join('\r\n'),
      )
      expect(statusOf(said), lines.join(' | ')).to.equal(400)
    }
    expect(await storedLink(service.db, code)).to.not.equal(undefined)
  })
})

describe('a scope that is nearly the one', () => {
  let service: TestService
  let admin: TestUser
  const NEARLY = [
    'LINK:DELETE',
    'Link:Delete',
    'xlink:delete',
    'link:delete2',
    'link:*',
    '*',
    '*:delete',
    'link',
    'link:',
    ':delete',
    'link:delet',
    'link:delete,link:read',
    'link:read,link:delete',
    'link/delete',
    'admin',
    'R3',
    '.*',
  ]
  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
  })
  after(() => service.stop())

  it('grants nothing, to an admin neither, and no personal token is made of it', async () => {
    const code = await addLink(service.db, { owner: admin.id })
    for (const scope of NEARLY) {
      const token = await service.tokenFor(admin, scope)
      for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
        const { method, path, options } = requestOf(route, route.path.includes(':id') ? admin.id : code)
        expect(
          (await service.request(method, path, { ...options, token })).json,
          `${scope}: ${method} ${path}`,
        ).to.include({ status: 403, code: 'insufficient_scope' })
      }
      const made = await service.request('POST', '/users/me/tokens', {
        token: admin.token,
        json: { name: 'nearly', scopes: [scope] },
      })
      expect(made.status, `${scope}: ${made.text}`).to.equal(422)
      expect(at(made.json, 'errors', 0, 'field')).to.equal('scopes.0')
    }
    expect(await storedLink(service.db, code)).to.not.equal(undefined)
  })

  it('in another claim grants nothing: scopes, scp, roles, permissions, or a list', async () => {
    const [, payload = ''] = (await service.tokenFor(admin, '')).split('.')
    const claims: Readonly<Record<string, unknown>> = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const rules = {
      issuer: String(claims['iss']),
      audience: String(claims['aud']),
      ownSignIns: true,
    }
    for (const name of ['scopes', 'scp', 'roles', 'permissions', 'role', 'authorities', 'groups']) {
      expect(parseClaims({ ...claims, [name]: ['link:delete', 'admin'] }, rules).token.scopes.size, name).to.equal(0)
    }
  })
})
