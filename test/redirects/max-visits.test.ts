import { expect } from 'chai'

import { testDatabase } from '../support/database.js'
import { textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

describe('a link with a maximum of visits', () => {
  let one: TestService
  let other: TestService
  let ada: TestUser
  before(async () => {
    const db = await testDatabase()
    one = await startTestService({ db })
    other = await startTestService({ db })
    ada = await one.addUser('editor')
  })
  after(async () => {
    await one.stop()
    await other.stop()
  })

  const made = async (json: object) => {
    const answer = await one.request('POST', '/links', {
      token: ada.token,
      json: { code: freshCode(), target: 'https://example.com/', ...json },
    })
    return textAt(answer.json, 'code')
  }
  const count = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length

  it('is followed so often and never more, however many ask two processes at once', async () => {
    const code = await made({ max_visits: 50 })
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => (await (i % 2 ? one : other).request('GET', `/${code}`)).status),
    )
    expect([count(statuses, 302), count(statuses, 410)]).to.deep.equal([50, 450])
    expect((await one.request('GET', `/${code}`)).json).to.include({ status: 410, code: 'link_expired' })
    expect((await one.request('GET', `/links/${code}`)).status).to.equal(410)
    expect((await one.request('HEAD', `/${code}`)).status).to.equal(410)
  })

  it('shows whoever manages it how many redirects are left, in whatever state it is', async () => {
    const code = await made({ max_visits: 2 })
    const shown = async () => Object((await one.request('GET', `/links/${code}`, { token: ada.token })).json)
    const fresh = await shown()
    expect(fresh.visits).to.deep.equal({ total: 0, last_at: null, left: 2 })
    const bot = { headers: { 'User-Agent': 'Googlebot/2.1' } }
    expect((await one.request('GET', `/${code}`, bot)).status).to.equal(302)
    const followed = await shown()
    expect(followed.visits.left).to.equal(1)
    expect(followed.etag, 'what a cache may keep').to.not.equal(fresh.etag)
    await one.request('GET', `/${code}`, bot)
    expect((await shown()).visits.left).to.equal(0)

    const patch = (json: object) => one.request('PATCH', `/links/${code}`, { token: ada.token, json })
    expect(Object((await patch({ max_visits: 1 })).json).visits.left, 'a limit below what was followed').to.equal(0)
    expect(Object((await patch({ max_visits: null })).json).visits).to.not.have.property('left')
  })

  it('keeps its count through changes and the trash; without a maximum it begins anew', async () => {
    const code = await made({ max_visits: 3 })
    const patch = (json: object) => one.request('PATCH', `/links/${code}`, { token: ada.token, json })
    const follow = async () => (await other.request('GET', `/${code}`)).status
    expect(await follow()).to.equal(302)
    const { json } = await patch({ title: 'changed' })
    await one.request('DELETE', `/links/${code}`, { token: ada.token })
    await one.request('POST', `/links/${textAt(json, 'id')}/restore`, { token: ada.token })
    expect([await follow(), await follow(), await follow()]).to.deep.equal([302, 302, 410])
    await patch({ max_visits: 4 })
    expect([await follow(), await follow()]).to.deep.equal([302, 410])
    await patch({ max_visits: null })
    await patch({ max_visits: 1 })
    expect([await follow(), await follow()]).to.deep.equal([302, 410])
  })

  it('is followed while its owner changes it again and again: a visitor meets no conflict', async () => {
    const code = await made({ max_visits: 1_000 })
    const changed = new AbortController()
    const visitor = async () => {
      const met: number[] = []
      while (!changed.signal.aborted) met.push((await other.request('GET', `/${code}`)).status)
      return met
    }
    const visitors = Array.from({ length: 8 }, visitor)
    for (let i = 0; i < 20; i += 1)
      await one.request('PATCH', `/links/${code}`, { token: ada.token, json: { title: `${i}` } })
    changed.abort()
    const met = (await Promise.all(visitors)).flat()
    expect([...new Set(met)]).to.deep.equal([302])
    const { json } = await one.request('GET', `/links/${code}`, { token: ada.token })
    expect(Object(json).visits.left, 'each counted once').to.equal(1_000 - met.length)
  })

  it('counts nothing for HEAD and for browsers that fetch ahead, and sends them nowhere', async () => {
    const code = await made({ max_visits: 1 })
    for (let i = 0; i < 3; i += 1) {
      for (const answer of [
        await one.request('HEAD', `/${code}`),
        await one.request('GET', `/${code}`, { headers: { 'Sec-Purpose': 'prefetch' } }),
        await one.request('GET', `/${code}`, { headers: { 'Sec-Purpose': 'prefetch;prerender' } }),
      ]) {
        expect(answer.status).to.equal(204)
        expect(answer.headers.get('Location')).to.equal(null)
      }
    }
    expect((await one.request('GET', `/${code}`)).status).to.equal(302)
  })

  it('counts an entered password as a visit, and a wrong one as none', async () => {
    const code = await made({ max_visits: 1, password: 'open sesame' })
    const enter = async (password: string) => (await one.request('POST', `/${code}`, formOf({ password }))).status
    expect((await one.request('GET', `/${code}`)).status).to.equal(403)
    expect([await enter('wrong password'), await enter('open sesame'), await enter('open sesame')]).to.deep.equal([
      403, 303, 410,
    ])
  })

  it('writes no entry for a visit, and no other version of the link', async () => {
    const code = await made({ max_visits: 9 })
    expect((await one.request('GET', `/${code}`)).status).to.equal(302)
    expect(await one.db.asOwner('select action from decisions where resource_code = $1', [code])).to.deep.equal([
      { action: 'link:create' },
    ])
    expect((await one.request('GET', `/links/${code}`, { token: ada.token })).headers.get('ETag')).to.match(
      /-1\.\d\.1"$/,
    )
  })
})
