import { expect } from 'chai'

import { at } from '../support/json.js'
import { addLink } from '../support/records.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type TestService } from '../support/service.js'

describe('every route of the table', () => {
  let service: TestService

  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  it('without a token is 401 with a challenge, unless it is public; and never a 5xx', async () => {
    for (const route of service.routes) {
      const { method, path, options } = requestOf(route)
      const answer = await service.request(method, path, options)
      const asked = `${method} ${path}: ${answer.text.slice(0, 200)}`
      expect(answer.status, asked).to.be.lessThan(500)
      if (route.gateway.scope === 'public') expect(at(answer.json, 'code'), asked).to.not.equal('token_required')
      else {
        expect(answer.status, asked).to.equal(401)
        expect(answer.headers.get('WWW-Authenticate')).to.match(/^Bearer /)
      }
    }
  })

  it('that is public and not about links, keys or health is one that this test knows', () => {
    const open = service.routes
      .filter(({ gateway }) => gateway.scope === 'public')
      .map(({ method, path }) => `${method} ${path}`)
    for (const name of open) {
      expect(name).to.be.oneOf([
        'get /links/:code',
        'get /links/:code/qr',
        'get /:code',
        'get /:code+',
        'get /',
        'get /favicon.ico',
        'get /favicon.svg',
        'get /robots.txt',
        'get /invitations/:token/accept',
        'post /:code',
        'post /auth/token',
        'post /auth/revoke',
        'post /auth/session',
        'post /auth/session/refresh',
        'delete /auth/session',
        'get /auth/email/confirm',
        'post /auth/email/confirm',
        'post /auth/password/forgot',
        'get /auth/password/reset',
        'post /auth/password/reset',
        'post /invitations/:token/accept',
        'get /healthz',
        'get /readyz',
        'get /metrics',
        'get /openapi.json',
        'get /docs',
        'get /docs/:page',
        'get /console',
        'get /console/assets/:file',
        'get /console/:page',
        'get /console/:page/:name',
        'get /.well-known/jwks.json',
        'get /.well-known/authzen-configuration',
      ])
    }
  })

  it('refuses a parameter that it does not take, where it needs a token: it would be taken for applied', async () => {
    const { id, token } = await service.addUser('admin')
    const code = await addLink(service.db, { owner: id })
    const asked = service.routes
      .filter(({ method, path, gateway }) => method === 'get' && gateway.scope !== 'public' && !path.includes(':'))
      .map(({ path }) => path)
    expect(asked).to.include.members(['/tags', '/users/me', '/users/me/tokens', '/policy/model', '/links'])
    for (const path of [...asked, `/users/${id}`, `/links/${code}/rights`]) {
      const answer = await service.request('GET', `${path}?utm_source=x`, { token })
      expect([answer.status, at(answer.json, 'code')], path).to.deep.equal([400, 'invalid_query'])
    }
    for (const path of ['/healthz', `/links/${code}`])
      expect((await service.request('GET', `${path}?utm_source=x`, { token })).status, path).to.equal(200)
  })

  it('never answers 5xx to a viewer or an admin, with a valid request, an empty one, and one of nonsense', async () => {
    for (const role of ['viewer', 'admin']) {
      const { token } = await service.addUser(role)
      for (const route of service.routes) {
        const { method, path, options } = requestOf(route)
        const [bare] = path.split('?')
        for (const each of [
          { path, options },
          { path: bare ?? path, options: {} },
          {
            path: `${bare}?a=%00&b[]=%ff&c=${'x'.repeat(3_000)}`,
            options:
              method === 'GET'
                ? {}
                : {
                    body: '{"a":[{"b":null}],"c":1e999,"__proto__":{}}',
                    headers: { 'Content-Type': 'application/json' },
                  },
          },
        ]) {
          const answer = await service.request(method, each.path, { ...each.options, token })
          expect(answer.status, `${role}, ${method} ${each.path.slice(0, 100)}: ${answer.text}`).to.be.lessThan(500)
        }
      }
    }
  })

  it('that is asked with a token is never stored by a cache', async () => {
    const { token } = await service.addUser('admin')
    for (const route of service.routes.filter(({ gateway }) => gateway.scope !== 'public')) {
      const { method, path, options } = requestOf(route)
      expect(
        (await service.request(method, path, { ...options, token })).headers.get('Cache-Control'),
        `${method} ${path}`,
      ).to.equal('no-store')
    }
  })

  it('that is refused is never stored by a cache, whoever asks', async () => {
    for (const [method, path] of [
      ['GET', '/not-there'],
      ['GET', '/a/path/of/none'],
      ['GET', '/links'],
      ['POST', '/links'],
      ['PUT', '/links'],
      ['GET', '/%ff'],
    ] as const) {
      const answer = await service.request(method, path)
      expect(answer.status, path).to.be.within(400, 499)
      expect(answer.headers.get('Cache-Control'), path).to.equal('no-store')
    }
  })
})
