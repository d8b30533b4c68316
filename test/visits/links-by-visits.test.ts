import { expect } from 'chai'
import * as fc from 'fast-check'

import { at, listAt, textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

describe('links with their visits', () => {
  let service: TestService
  let ada: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  const made = async (json: object = {}, { token } = ada) => {
    const answer = await service.request('POST', '/links', {
      token,
      json: { code: freshCode(), target: 'https://example.com/a', ...json },
    })
    expect(answer.status, answer.text).to.equal(201)
    expect(at(answer.json, 'visits')).to.deep.equal({ total: 0, last_at: null })
    return { id: textAt(answer.json, 'id'), code: textAt(answer.json, 'code') }
  }
  const count = (id: string, visits: number) =>
    service.db.asOwner(
      `insert into visit_counts (link_id, owner_id, counted_for, visits, bots, last_at)
       select id, owner_id, owner_id, $2, 1, '2026-11-22T10:00:00.5Z' from links where id = $1`,
      [id, visits],
    )
  const page = async (query: string, { token } = ada) => {
    const answer = await service.request('GET', `/links?${query}`, { token })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json
  }
  const all = async (query: string, user = ada): Promise<readonly string[]> => {
    const codes: string[] = []
    for (let cursor: unknown = ''; typeof cursor === 'string';) {
      const answer = await page(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`, user)
      codes.push(...listAt(answer, 'data').map((link) => textAt(link, 'code')))
      cursor = at(answer, 'next_cursor')
    }
    return codes
  }

  it('shows them wherever a link is shown to whoever may change it, and to nobody else', async () => {
    const { id, code } = await made()
    await count(id, 7)
    const seen = { total: 7, last_at: '2026-11-22T10:00:00.500Z' }
    const one = await service.request('GET', `/links/${code}`, { token: ada.token })
    expect(at(one.json, 'visits')).to.deep.equal(seen)
    expect((await service.request('GET', `/links/${code}`)).json).to.not.have.property('visits')
    const other = await service.addUser('editor')
    expect((await service.request('GET', `/links/${code}`, { token: other.token })).json).to.not.have.property('visits')

    const change = async (path: string, method: string, json: object) => {
      const answer = await service.request(method, path, { token: root.token, json })
      expect(answer.status, answer.text).to.equal(200)
      return at(answer.json, 'visits') ?? at(listAt(answer.json, 'results')[0], 'link', 'visits')
    }
    expect(await change(`/links/${code}`, 'PATCH', {})).to.deep.equal(seen)
    expect(await change(`/links/${code}`, 'PATCH', { title: 'x' })).to.deep.equal(seen)
    const items = [{ link: code, title: 'y' }]
    expect(await change('/links/bulk', 'POST', { operation: 'update', items })).to.deep.equal(seen)
    expect(at(listAt(await page('q=y&limit=1'), 'data')[0], 'visits')).to.deep.equal(seen)
    expect(at(listAt(await page('limit=1'), 'data')[0], 'visits')).to.deep.equal(seen)

    await service.request('DELETE', `/links/${code}`, { token: ada.token })
    expect(at(listAt(await page('state=deleted'), 'data')[0], 'visits')).to.deep.equal(seen)
    expect(await change(`/links/${id}/restore`, 'POST', {})).to.deep.equal(seen)
    expect(await change(`/links/${code}/transfer`, 'POST', { owner_id: other.id })).to.deep.equal(seen)
    expect(await all('sort=visits', other)).to.deep.equal([code])
  })

  it('names another representation after a visit, and the same version', async () => {
    const { id, code } = await made()
    const tag = async () => {
      const answer = await service.request('GET', `/links/${code}`, { token: ada.token })
      return answer.headers.get('ETag') ?? ''
    }
    const before = await tag()
    await count(id, 3)
    const after = await tag()
    expect(after).to.not.equal(before)
    const patch = (match: string) =>
      service.request('PATCH', `/links/${code}`, {
        token: ada.token,
        json: { title: 'x' },
        headers: { 'If-Match': match },
      })
    expect((await patch(before)).status).to.equal(200)
    expect((await patch(after)).status).to.equal(412)
    expect((await patch(await tag())).status).to.equal(200)
  })

  it('lists them by visits: the most first, or the fewest, and those without any after or before', async () => {
    const bob = await service.addUser('editor')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 }), async (numbers) => {
        const tag = freshCode('t')
        const links: { code: string; visits: number; n: number }[] = []
        for (const [n, visits] of numbers.entries()) {
          const { id, code } = await made({ tags: [tag] }, bob)
          // 1: counted, but by bots alone
          if (visits > 0) await count(id, visits - 1)
          links.push({ code, visits: Math.max(0, visits - 1), n })
        }
        const most = links.toSorted((a, b) => b.visits - a.visits || b.n - a.n).map(({ code }) => code)
        expect(await all(`sort=visits&limit=2&tag=${tag}`, bob)).to.deep.equal(most)
        expect(await all(`sort=-visits&limit=2&tag=${tag}`, bob)).to.deep.equal(most.toReversed())
        const ours = new Set(most)
        for (const [sort, expected] of [['visits', most] as const, ['-visits', most.toReversed()] as const])
          for (const [user, query] of [[bob, ''] as const, [root, `&owner_id=${bob.id}`] as const]) {
            const listed = await all(`sort=${sort}&limit=3${query}`, user)
            expect(listed.filter((code) => ours.has(code))).to.deep.equal(expected)
            expect(new Set(listed).size).to.equal(listed.length)
          }
      }),
      { numRuns: 12 },
    )
  })

  it('takes a cursor of this order alone', async () => {
    const cursor = Buffer.from(JSON.stringify(['visits', '-1 2'])).toString('base64url')
    expect((await service.request('GET', `/links?sort=visits&cursor=${cursor}`, { token: ada.token })).status).to.equal(
      400,
    )
  })
})
