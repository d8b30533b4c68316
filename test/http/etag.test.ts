import { expect } from 'chai'

import { at } from '../support/json.js'
import { addLink, storedLink } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('entity tags of links', () => {
  let callers: Callers
  let service: TestService
  let code: string

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())
  beforeEach(async () => {
    code = await addLink(service.db, { owner: callers.editor.id })
  })

  const ask = (
    method: string,
    headers: Readonly<Record<string, string>> = {},
    user: { readonly token: string } | null = callers.editor,
    json?: unknown,
  ) =>
    service.request(method, `/links/${code}`, {
      headers,
      ...(user === null ? {} : { token: user.token }),
      ...(json === undefined ? {} : { json }),
    })
  const tag = async (user: { readonly token: string } | null = callers.editor) =>
    (await ask('GET', {}, user)).headers.get('ETag') ?? ''

  it('stand on every answer with one link, and change with it', async () => {
    const first = await tag()
    expect(first).to.match(/^"\d+-\d+"$/)
    const changed = await ask('PATCH', {}, callers.editor, { target: 'https://example.com/2' })
    expect(changed.headers.get('ETag')).to.not.equal(first)
    expect(await tag()).to.equal(changed.headers.get('ETag'))
    const made = await service.request('POST', '/links', {
      token: callers.editor.token,
      json: { target: 'https://example.com/' },
    })
    expect(made.headers.get('ETag')).to.match(/^"\d+-1"$/)
  })

  it('differ between those who see the whole link and those who see its public part; caches are told so', async () => {
    expect(await tag(null)).to.not.equal(await tag())
    expect(await tag(callers.other)).to.equal(await tag(null))
    expect((await ask('GET')).headers.get('Vary')).to.include('Authorization')
    expect((await ask('GET')).json).to.include.keys('id', 'owner_id', 'note', 'tags')
    expect((await ask('GET', {}, callers.other)).json).to.have.keys('code', 'target', 'title')
  })

  it('tell the public nothing but what it sees: neither the id nor how often the link was edited', async () => {
    const first = await tag(null)
    expect(first).to.match(/^"[\w-]{22}"$/)
    expect((await ask('PATCH', {}, callers.editor, { target: 'https://example.com/2' })).status).to.equal(200)
    expect(await tag(null)).to.not.equal(first)
    await ask('PATCH', {}, callers.editor, { target: 'https://example.com/' })
    const { target } = (await storedLink(service.db, code)) ?? {}
    expect(target).to.equal('https://example.com/')
    expect(await tag(null), 'the same answer again').to.equal(first)
  })

  it('let a PATCH and a DELETE through where If-Match names the version, a list with it, or *', async () => {
    for (const condition of [await tag(), '*', `"1-1", ${await tag()}`]) {
      expect((await ask('PATCH', { 'If-Match': condition }, callers.editor, {})).status, condition).to.equal(200)
    }
    expect((await ask('DELETE', { 'If-Match': await tag() })).status).to.equal(204)
  })

  it('412 where If-Match names another version, a weak one, or the public part; nothing is changed', async () => {
    const old = await tag()
    await ask('PATCH', {}, callers.editor, { target: 'https://example.com/2' })
    for (const condition of [old, '"x"', `W/${await tag()}`, await tag(null), 'nonsense', '']) {
      expect(
        (await ask('PATCH', { 'If-Match': condition }, callers.editor, { target: 'https://example.com/3' })).json,
        condition,
      ).to.include({ status: 412, code: 'precondition_failed' })
      expect((await ask('DELETE', { 'If-Match': condition })).json).to.include({ status: 412 })
    }
    expect(await storedLink(service.db, code)).to.include({ target: 'https://example.com/2' })
  })

  it('a weak one of the version is told to leave out its W/: it was read through a proxy that compresses', async () => {
    const detail = async (condition: string) =>
      at((await ask('PATCH', { 'If-Match': condition }, callers.editor, {})).json, 'detail')
    expect(await detail(`W/${await tag()}`)).to.match(/W\//)
    for (const condition of ['W/"x"', '"x"']) expect(await detail(condition), condition).to.not.match(/W\//)
  })

  it('are looked at after authorization: who may not change the link learns nothing of its version', async () => {
    for (const condition of [await tag(), '"x"']) {
      expect((await ask('DELETE', { 'If-Match': condition }, callers.other)).json).to.include({
        status: 403,
        code: 'policy_denied',
      })
      expect((await ask('DELETE', { 'If-Match': condition }, null)).status).to.equal(401)
    }
    code = 'there-is-none'
    expect((await ask('DELETE', { 'If-Match': '"x"' })).json).to.include({ status: 404 })
  })

  it('304 without a body where If-None-Match names what the caller holds', async () => {
    for (const user of [callers.editor, null]) {
      const held = await ask('GET', { 'If-None-Match': await tag(user) }, user)
      expect(held).to.include({ status: 304, text: '' })
      expect(held.headers.get('ETag')).to.equal(await tag(user))
      expect((await ask('GET', { 'If-None-Match': '"x"' }, user)).status).to.equal(200)
    }
    expect((await ask('GET', { 'If-None-Match': await tag(null) })).status).to.equal(200)
    expect((await ask('GET', { 'If-None-Match': '"x"' }, null)).status).to.equal(200)
  })
})
