import { expect } from 'chai'

import { at, listAt, textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

const TARGET = 'https://example.com/a'
const EARLIER = new Date(Date.now() - 2 * 86_400_000).toISOString()
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString()
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
const LATER = new Date(Date.now() + 2 * 86_400_000).toISOString()

const form = (password: string, headers: Record<string, string> = {}) => formOf({ password }, headers)

describe('what people keep with a link', () => {
  let service: TestService
  let ada: TestUser
  let bob: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
    bob = await service.addUser('editor')
  })
  after(() => service.stop())

  const create = (json: object, { token } = ada) => service.request('POST', '/links', { token, json })
  const made = async (json: object) => {
    const code = freshCode()
    const { status, text } = await create({ code, target: TARGET, ...json })
    expect(status, text).to.equal(201)
    return code
  }
  const patch = (code: string, json: object, { token } = ada) =>
    service.request('PATCH', `/links/${code}`, { token, json })
  const follow = (path: string, headers: Record<string, string> = {}) => service.request('GET', `/${path}`, { headers })

  it('is kept, shown to whoever manages the link, and cleared by null', async () => {
    const fields = {
      title: 'The plan',
      note: 'two\nlines',
      tags: ['Plans', 'straße 1'],
      status: 307,
      active: false,
      starts_at: YESTERDAY,
      expires_at: TOMORROW,
      max_visits: 5,
      forward_query: true,
    }
    const code = await made({ ...fields, password: 'open sesame' })
    const shown = await service.request('GET', `/links/${code}`, { token: ada.token })
    expect(shown.json).to.deep.include({ ...fields, has_password: true })
    expect(shown.text).not.to.contain('sesame')
    expect(shown.text).not.to.contain('argon2')
    const cleared = await patch(code, {
      title: null,
      note: '  ',
      tags: null,
      status: null,
      active: null,
      starts_at: null,
      expires_at: null,
      max_visits: null,
      forward_query: null,
      password: null,
    })
    const plain = {
      note: null,
      tags: [],
      status: 302,
      active: true,
      starts_at: null,
      expires_at: null,
      max_visits: null,
      forward_query: false,
      title: null,
    }
    expect(cleared.json).to.deep.include({ ...plain, has_password: false })
    expect((await follow(code)).status).to.equal(302)
  })

  it('is given to nobody else but the title, and no target where a password guards it', async () => {
    const code = await made({ title: 'T', note: 'secret note', tags: ['x'] })
    for (const token of [undefined, bob.token])
      expect((await service.request('GET', `/links/${code}`, { token })).json).to.deep.equal({
        code,
        target: TARGET,
        title: 'T',
      })
    await patch(code, { password: 'open sesame' })
    for (const token of [undefined, bob.token])
      expect((await service.request('GET', `/links/${code}`, { token })).json).to.deep.equal({ code, title: 'T' })
  })

  it('is shown whole to no token without a scope, whoever’s it is', async () => {
    const code = await made({ title: 'T', note: 'secret note', active: false })
    const bare = await service.request('POST', '/users/me/tokens', {
      token: ada.token,
      json: { name: 'nothing', scopes: [], expires_in: 86_400 },
    })
    expect(bare.status, bare.text).to.equal(201)
    const token = textAt(bare.json, 'token')
    expect((await service.request('GET', `/links/${code}`, { token })).status).to.equal(404)
    await patch(code, { active: true })
    expect((await service.request('GET', `/links/${code}`, { token })).json).to.deep.equal({
      code,
      target: TARGET,
      title: 'T',
    })
  })

  it('takes times as RFC 3339 writes them: with an offset, fractions, a leap second, in either case', async () => {
    for (const [given, kept] of [
      ['2031-05-06T07:08:09z', '2031-05-06T07:08:09.000Z'],
      ['2031-05-06t07:08:09.25+02:00', '2031-05-06T05:08:09.250Z'],
      ['2031-12-31T23:59:60Z', '2032-01-01T00:00:00.000Z'],
      ['2032-01-01t00:59:60.5+01:00', '2032-01-01T00:00:00.500Z'],
    ]) {
      const answer = await create({ target: TARGET, expires_at: given })
      expect(answer.status, answer.text).to.equal(201)
      expect(at(answer.json, 'expires_at')).to.equal(kept)
    }
  })

  it('names the field and the rule of what it refuses, and changes nothing', async () => {
    const code = await made({})
    for (const [json, field, rule] of [
      [{ target: 'https://example.com/\ud800' }, 'target', /half a character/],
      [{ title: 'x'.repeat(201) }, 'title', /200/],
      [{ title: 'two\nlines' }, 'title', /one line/],
      [{ note: 'x'.repeat(2_001) }, 'note', /2000/],
      [{ tags: ['-x'] }, 'tags.0', /begin with/],
      [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'tags', /20/],
      [{ status: 303 }, 'status', /301, 302, 307 or 308/],
      [{ starts_at: 'tomorrow' }, 'starts_at', /RFC 3339/],
      [{ starts_at: '2031-12-31T23:59:61Z' }, 'starts_at', /RFC 3339/],
      [{ starts_at: '2031-12-31T23:60:00Z' }, 'starts_at', /RFC 3339/],
      [{ starts_at: '2031-12-31T23:59:59+01:60' }, 'starts_at', /RFC 3339/],
      [{ starts_at: '0001-01-01T00:00:00Z' }, 'starts_at', /1970/],
      [{ starts_at: '9999-12-31T23:59:60Z' }, 'starts_at', /9999/],
      [{ starts_at: `2031-05-06T07:08:09.${'0'.repeat(20)}Z` }, 'starts_at', /40 characters/],
      [{ starts_at: TOMORROW, expires_at: YESTERDAY }, 'expires_at', /after starts_at/],
      [{ max_visits: 0 }, 'max_visits', /at least 1/],
      [{ max_visits: 1.5 }, 'max_visits', /./],
      [{ max_visits: 1e100 }, 'max_visits', /at most 1000000000$/],
      [{ password: 'short' }, 'password', /8/],
      [{ password: 'open sesame\n' }, 'password', /one line/],
      [{ has_password: true }, 'has_password', /may be set/],
      [{ password_hash: 'x' }, 'password_hash', /may be set/],
      [{ used: 0 }, 'used', /may be set/],
      [{ owner_id: bob.id }, 'owner_id', /may be set/],
    ] as const) {
      for (const answer of [await patch(code, json), await create({ target: TARGET, ...json })]) {
        expect(answer.status, answer.text).to.equal(422)
        expect(at(answer.json, 'errors', 0, 'field')).to.equal(field)
        expect(at(answer.json, 'errors', 0, 'message')).to.match(rule)
      }
    }
    expect(at((await service.request('GET', `/links/${code}`, { token: ada.token })).json, 'title')).to.equal(null)
  })

  it('names the time that was sent if a link would end before it starts, in a change of many as well', async () => {
    const code = await made({ starts_at: YESTERDAY, expires_at: TOMORROW })
    for (const [sent, field, message] of [
      [{ starts_at: LATER }, 'starts_at', 'must be before expires_at'],
      [{ starts_at: TOMORROW }, 'starts_at', 'must be before expires_at'],
      [{ expires_at: EARLIER }, 'expires_at', 'must be after starts_at'],
      [{ starts_at: TOMORROW, expires_at: YESTERDAY }, 'expires_at', 'must be after starts_at'],
    ] as const) {
      const alone = await patch(code, sent)
      expect(alone.json, alone.text).to.include({ status: 422 })
      const many = await service.request('POST', '/links/bulk', {
        token: ada.token,
        json: { operation: 'update', items: [{ link: code, ...sent }] },
      })
      for (const errors of [at(alone.json, 'errors'), at(many.json, 'results', 0, 'problem', 'errors')])
        expect(errors).to.deep.equal([{ field, message }])
    }
  })

  describe('for who follows it', () => {
    it('redirects with its status, and may be changed all the same', async () => {
      for (const status of [301, 302, 307, 308]) {
        const code = await made({ status })
        const answer = await follow(code)
        expect(answer.status).to.equal(status)
        expect(answer.headers.get('Cache-Control')).to.equal('no-cache')
      }
    })

    it('is 404 until it starts and while it is not active, and 410 after its end', async () => {
      for (const [json, status] of [
        [{ active: false }, 404],
        [{ starts_at: TOMORROW }, 404],
        [{ expires_at: YESTERDAY }, 410],
        [{ starts_at: YESTERDAY, expires_at: TOMORROW }, 302],
        [{ active: false, expires_at: YESTERDAY }, 404],
      ] as const) {
        const code = await made(json)
        for (const answer of [await follow(code), await follow(code), await service.request('HEAD', `/${code}`)])
          expect(answer.status, JSON.stringify(json)).to.equal(status)
        const shown = status === 302 ? 200 : status
        expect((await service.request('GET', `/links/${code}`)).status).to.equal(shown)
        expect((await service.request('GET', `/links/${code}`, { token: bob.token })).status).to.equal(shown)
        expect((await service.request('GET', `/links/${code}`, { token: ada.token })).status).to.equal(200)
      }
    })

    it('follows a change at once', async () => {
      const code = await made({})
      expect((await follow(code)).status).to.equal(302)
      await patch(code, { active: false })
      expect((await follow(code)).status).to.equal(404)
      await patch(code, { active: true, password: 'open sesame' })
      expect((await follow(code)).status).to.equal(403)
      await patch(code, { password: null, expires_at: YESTERDAY })
      expect((await follow(code)).status).to.equal(410)
    })

    it('adds the visitor’s parameters, and overwrites none', async () => {
      const code = await made({ target: 'https://example.com/p?a=1#top', forward_query: true })
      for (const [query, target] of [
        ['', 'https://example.com/p?a=1#top'],
        ['?a=2', 'https://example.com/p?a=1#top'],
        ['?b=2&a=3&b=4', 'https://example.com/p?a=1&b=2&b=4#top'],
        ['?x=%0d%0aSet-Cookie:%20a', 'https://example.com/p?a=1&x=%0d%0aSet-Cookie:%20a#top'],
      ])
        expect((await follow(`${code}${query}`)).headers.get('Location')).to.equal(target)
      const plain = await made({})
      expect((await follow(`${plain}?b=2`)).headers.get('Location')).to.equal(TARGET)
    })
  })

  describe('a password', () => {
    const enter = (code: string, password: string, query = '') =>
      service.request('POST', `/${code}${query}`, form(password))

    it('is asked for, and lets in by the form alone', async () => {
      const code = await made({ password: 'open sesame', title: 'hidden' })
      for (const answer of [
        await follow(code),
        await follow(`${code}?password=open+sesame&pw=open+sesame`),
        await follow(code, { Accept: 'text/html' }),
        await enter(code, 'open sesamE'),
      ]) {
        expect(answer.status).to.equal(403)
        expect(answer.text).not.to.contain(TARGET)
        expect(answer.headers.get('Location')).to.equal(null)
        expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      }
      expect((await follow(code)).json).to.include({ code: 'password_required' })
      const right = await enter(code, 'open sesame')
      expect(right.status, right.text).to.equal(303)
      expect(right.headers.get('Location')).to.equal(TARGET)
      expect(right.headers.get('Cache-Control')).to.equal('no-store')
    })

    it('is not asked for after the link’s end, whatever the form holds', async () => {
      const code = await made({ password: 'open sesame', expires_at: YESTERDAY })
      for (const password of ['open sesame', 'wrong one', '', 'x'.repeat(2_000)]) {
        const answer = await enter(code, password)
        expect([answer.status, at(answer.json, 'code')], password).to.deep.equal([410, 'link_expired'])
      }
    })

    it('ends with its change, and with its end the form sends on', async () => {
      const code = await made({ password: 'open sesame' })
      await patch(code, { password: 'another one' })
      expect((await enter(code, 'open sesame')).status).to.equal(403)
      expect((await enter(code, 'another one')).status).to.equal(303)
      await patch(code, { password: null })
      expect((await enter(code, 'whatever it was')).status).to.equal(303)
    })

    it('stands in no row but as argon2id, and not in the record of a repeated request', async () => {
      const code = freshCode()
      const headers = { 'Idempotency-Key': code }
      const json = { code, target: TARGET, password: 'open sesame' }
      const first = await service.request('POST', '/links', { token: ada.token, json, headers })
      const again = await service.request('POST', '/links', { token: ada.token, json, headers })
      expect([first.status, again.status]).to.deep.equal([201, 201])
      expect(again.json).to.deep.equal(first.json)
      const [row] = await service.db.asOwner('select * from links where code = $1', [code])
      expect(row)
        .to.have.property('password_hash')
        .that.matches(/^\$argon2id\$/)
      const [key] = await service.db.asOwner(`select record::text from idempotency_keys where record ->> 'code' = $1`, [
        code,
      ])
      expect(JSON.stringify(key)).not.to.contain('argon2')
    })
  })

  it('may not be tried without a limit: for a link and an address, and for a link', async () => {
    const limited = await startTestService({
      db: service.db,
      environment: { RATE_LIMIT_LINK_PASSWORD: '2/60', TRUSTED_PROXY_HOPS: '1' },
    })
    try {
      const code = await made({ password: 'open sesame' })
      const other = await made({ password: 'open sesame' })
      const attempt = (name: string, address: string) =>
        limited.request('POST', `/${name}`, form('wrong one', { 'X-Forwarded-For': address }))
      const statuses = async (name: string, address: string) => [
        (await attempt(name, address)).status,
        (await attempt(name, address)).status,
        (await attempt(name, address)).status,
      ]
      expect(await statuses(code, '192.0.2.1')).to.deep.equal([403, 403, 429])
      expect(await statuses(code, '192.0.2.2')).to.deep.equal([403, 403, 429])
      expect(await statuses(other, '192.0.2.1')).to.deep.equal([403, 403, 429])
      const byMany = []
      for (let i = 0; i < 60; i += 1) byMany.push((await attempt(code, `198.51.100.${i}`)).status)
      expect(byMany.slice(0, 50)).to.deep.equal(Array(50).fill(403))
      expect(byMany.at(-1)).to.equal(429)
      // an empty form is no attempt
      const empty = await made({ password: 'open sesame' })
      for (let i = 0; i < 3; i += 1) expect((await limited.request('POST', `/${empty}`, form(''))).status).to.equal(422)
    } finally {
      await limited.stop()
    }
  })

  describe('in lists', () => {
    it('is found by any part of code, target, title and note, by tags, state and time', async () => {
      const cara = await service.addUser('editor')
      const add = async (json: object) => {
        const answer = await create({ target: TARGET, ...json }, cara)
        expect(answer.status, answer.text).to.equal(201)
        return String(at(answer.json, 'code'))
      }
      const one = await add({ title: 'Große Pläne', tags: ['a', 'b'] })
      const two = await add({ note: 'see the annex', tags: ['b'] })
      const three = await add({ active: false })
      const four = await add({ expires_at: YESTERDAY, max_visits: 3 })
      const five = await add({ starts_at: TOMORROW })
      const found = async (query: string, who = cara) => {
        const answer = await service.request('GET', `/links?${query}`, { token: who.token })
        expect(answer.status, answer.text).to.equal(200)
        return listAt(answer.json, 'data').map((each) => at(each, 'code'))
      }
      expect(await found('q=PL%C3%84NE')).to.deep.equal([one])
      expect(await found('q=annex')).to.deep.equal([two])
      expect(await found(`q=${three.slice(2)}`)).to.deep.equal([three])
      expect(await found('tag=b')).to.deep.equal([two, one])
      expect(await found('tag=b&tag=a')).to.deep.equal([one])
      expect(await found('tag=b&q=annex')).to.deep.equal([two])
      expect(await found('state=active')).to.deep.equal([two, one])
      expect(await found('state=inactive')).to.deep.equal([five, three])
      expect(await found('state=expired')).to.deep.equal([four])
      expect(await found(`created_from=${TOMORROW}`)).to.deep.equal([])
      expect(await found('created_from=2999-01-01')).to.deep.equal([])
      expect(await found('created_from=2000-01-01&created_to=2999-01-01')).to.have.length(5)
      expect(await found(`created_to=${TOMORROW}&sort=created_at&limit=2`)).to.deep.equal([one, two])
      expect(await found('tag=b', bob)).to.deep.equal([])
      const admin = await service.addUser('admin')
      expect(await found(`tag=b&owner_id=${cara.id}`, admin)).to.deep.equal([two, one])
      // page by page, also in searches
      for (const query of ['', 'q=example', 'q=example&sort=code']) {
        const all = await found(query)
        const pages: unknown[] = []
        let cursor = ''
        do {
          const { json } = await service.request('GET', `/links?limit=2&${query}${cursor}`, { token: cara.token })
          pages.push(...listAt(json, 'data').map((each) => at(each, 'code')))
          const next = at(json, 'next_cursor')
          cursor = typeof next === 'string' ? `&cursor=${next}` : ''
        } while (cursor !== '')
        expect(pages).to.deep.equal(all)
        expect(pages).to.have.length(5)
      }
    })
  })
})
