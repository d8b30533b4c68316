import { expect } from 'chai'

import { textAt } from '../support/json.js'
import { addLink } from '../support/records.js'
import { startTestService, type RequestOptions, type TestService, type TestUser } from '../support/service.js'

describe('a refusal tells the way on, without its headers, too', () => {
  let service: TestService
  let editor: TestUser
  let code: string

  before(async () => {
    service = await startTestService({ environment: { RATE_LIMIT_SIGN_IN: '1/60' } })
    editor = await service.addUser('editor')
    code = await addLink(service.db, { owner: editor.id })
  })
  after(() => service.stop())

  const told = async (method: string, path: string, options?: RequestOptions) =>
    textAt((await service.request(method, path, options)).json, 'detail')

  it('where a token is missing, is not live, or was sent otherwise', async () => {
    expect(await told('DELETE', `/links/${code}`)).to.include('Authorization: Bearer TOKEN')
    for (const Authorization of ['Bearer eyJhbGciOiJFUzI1NiJ9.e30.x', 'Basic YTpi'])
      expect(await told('DELETE', `/links/${code}`, { headers: { Authorization } }))
        .to.include('expired')
        .and.include('Authorization: Bearer TOKEN')
  })

  it('where the token lacks a scope, and the role a row', async () => {
    const token = await service.tokenFor(editor, 'link:read')
    expect(await told('DELETE', `/links/${code}`, { token })).to.include('link:delete')
    expect(await told('GET', '/policy', { token: editor.token })).to.match(/\beditor\b.*\bpolicy:read\b/)
  })

  it('where somebody has to wait', async () => {
    const json = { grant_type: 'password', username: 'ada@example.com', password: 'wrong' }
    expect(await told('POST', '/auth/token', { json })).to.include('this address and this password')
    const over = await service.request('POST', '/auth/token', { json })
    expect(over.status).to.equal(429)
    expect(textAt(over.json, 'detail')).to.match(
      new RegExp(`^Try again in ${over.headers.get('Retry-After')} seconds?`),
    )
  })

  it('where If-Match has the ETag that everybody sees, or no quotes', async () => {
    const change = (tag: string) =>
      told('PATCH', `/links/${code}`, { token: editor.token, json: {}, headers: { 'If-Match': tag } })
    const seen = await service.request('GET', `/links/${code}`)
    expect(await change(seen.headers.get('ETag') ?? '')).to.include('with your token')
    expect(await change('1-1')).to.include('quotes')
  })

  it('where there is nothing, or something already, or where a field is wrong', async () => {
    const { token } = editor
    const json = { target: 'https://example.com/', code }
    expect(await told('GET', '/links/nowhere', { token })).to.include('not visible to this caller')
    expect(await told('POST', '/links', { token, json })).to.equal('code: is taken.')
    expect(await told('POST', '/links', { token, json: { target: 'ftp://example.com/' } })).to.match(
      /^target: must be /,
    )
    expect(await told('GET', '/links?limit=none', { token })).to.match(/^limit: /)
  })

  it('where the address, the method or the JSON is wrong', async () => {
    expect(await told('GET', '/links/a/b/c')).to.include('/docs')
    expect(await told('PUT', `/links/${code}`)).to.include('Allow')
    const body = { body: '{"target":}', headers: { 'Content-Type': 'application/json' } }
    expect(await told('POST', '/links', { token: editor.token, ...body })).to.include('comma')
  })
})
