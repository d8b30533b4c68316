import { expect } from 'chai'

import { freshCode } from '../support/records.js'
import { startTestService } from '../support/service.js'
import type { TestService, TestUser } from '../support/service.js'
import { textAt } from '../support/json.js'
import { until } from '../support/until.js'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 ' +
  'Mobile/15E148 Safari/604.1'
const GOOGLE = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

describe('counting visits', () => {
  let service: TestService
  let ada: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
  })
  after(() => service.stop())

  const made = async (json: object = {}) => {
    const answer = await service.request('POST', '/links', {
      token: ada.token,
      json: { code: freshCode(), target: 'https://example.com/a', ...json },
    })
    expect(answer.status, answer.text).to.equal(201)
    return { id: textAt(answer.json, 'id'), code: textAt(answer.json, 'code') }
  }
  const follow = async (code: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    service.request(method, `/${code}`, { headers: { 'User-Agent': CHROME, ...headers } })
  const counts = async (id: string) =>
    (await service.db.asOwner(`select visits::int, bots::int from visit_counts where link_id = ${id}`))[0]

  it('counts people and bots apart, and nobody who only looks', async () => {
    const { id, code } = await made()
    await follow(code)
    await follow(code, { 'User-Agent': SAFARI, Referer: 'https://www.news.example/article?id=1' })
    await follow(code, { 'User-Agent': GOOGLE })
    await follow(code, {}, 'HEAD')
    await follow(code, { 'Sec-Purpose': 'prefetch' })
    await follow(code, { 'User-Agent': 'WhatsApp/2.23.20' })
    await follow(code, { 'User-Agent': 'TelegramBot (like TwitterBot)' })
    await until('the first batch', async () => (await counts(id)) !== undefined)
    await follow(code)
    await until('the next', async () => (await counts(id))?.['visits'] === 3)
    expect(await counts(id)).to.deep.equal({ visits: 3, bots: 1 })
  })
})
