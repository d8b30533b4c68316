import { expect } from 'chai'
import { parse } from 'csv-parse/sync'

import { addLink } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { addVisits, linkId } from '../support/visits.js'

const DAY_MS = 86_400_000

describe('the export of visits', () => {
  let service: TestService
  let ada: TestUser
  let code: string
  /** whole milliseconds after it, since ages are rounded */
  let newest: number

  before(async () => {
    service = await startTestService({ environment: { VISIT_DAYS: '30' } })
    ada = await service.addUser('editor')
    code = await addLink(service.db, { owner: ada.id })
    const link = await linkId(service.db, code)
    const neighbour = await linkId(service.db, await addLink(service.db, { owner: ada.id }))
    newest = Date.now() - 60_000
    const chrome = { browser: 'Chrome', os: 'Windows', device: 'desktop', country: 'DE' }
    await addVisits(service.db, [
      { link, single: true, at: newest, referrer: '-x.example', ...chrome },
      { link, single: true, at: newest - 29 * DAY_MS, bot: true },
      { link, single: true, at: newest - 2 * DAY_MS, referrer: '=1+1', country: 'F"R' },
      { link, single: true, at: newest - 31 * DAY_MS, referrer: 'too.old' },
      { link: neighbour, single: true, at: newest, referrer: 'of.another' },
    ])
  })
  after(() => service.stop())

  const get = (query: string) => service.request('GET', `/links/${code}/visits/export${query}`, { token: ada.token })
  const isNear = (time: string | undefined, expected: number) =>
    expect(Math.abs(Date.parse(time ?? '') - expected), time).to.be.below(60_000)

  it('as CSV has the visits of VISIT_DAYS, the oldest first, and no formula', async () => {
    const answer = await get('')
    expect(answer.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).to.equal(`attachment; filename="visits-${code}.csv"`)
    const [head, ...rows]: readonly (readonly string[])[] = parse(answer.text)
    expect(head).to.deep.equal(['time', 'referrer', 'country', 'browser', 'os', 'device', 'bot'])
    expect(rows.map(([, ...cells]) => cells)).to.deep.equal([
      ['', '', '', '', '', 'true'],
      ["'=1+1", 'F"R', '', '', '', 'false'],
      ["'-x.example", 'DE', 'Chrome', 'Windows', 'desktop', 'false'],
    ])
    for (const [i, days] of [29, 2, 0].entries()) {
      expect(rows[i]?.[0]).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      isNear(rows[i]?.[0], newest - days * DAY_MS)
    }
  })

  it('as NDJSON has an object for each', async () => {
    const answer = await get('?format=ndjson')
    expect(answer.headers.get('Content-Type')).to.equal('application/x-ndjson')
    const objects = answer.text
      .trimEnd()
      .split('\n')
      .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
    const nothing = { time: null, referrer: null, country: null, browser: null, os: null, device: null, bot: false }
    expect(objects.map((each) => ({ ...each, time: null }))).to.deep.equal([
      { ...nothing, bot: true },
      { ...nothing, referrer: '=1+1', country: 'F"R' },
      { ...nothing, referrer: '-x.example', country: 'DE', browser: 'Chrome', os: 'Windows', device: 'desktop' },
    ])
    isNear(String(objects[2]?.['time']), newest)
  })

  it('has the visits of an hour in their order, to the millisecond, whatever they have in common', async () => {
    const busy = await addLink(service.db, { owner: ada.id })
    const link = await linkId(service.db, busy)
    const from = newest - (newest % 3_600_000) - 3_600_000 + 100_000
    const browsers = ['Chrome', 'Safari', 'Chrome', 'Firefox', 'Safari', 'Chrome']
    const visits = browsers.map((browser, i) => ({ link, single: true, at: from + i * 1_001, browser }))
    await addVisits(service.db, [...visits.slice(3), ...visits.slice(0, 3)])
    const answer = await service.request('GET', `/links/${busy}/visits/export`, { token: ada.token })
    const rows: readonly (readonly string[])[] = parse(answer.text)
    expect(rows.slice(1).map(([, , , browser]) => browser)).to.deep.equal(browsers)
    const times = rows.slice(1).map(([time]) => Date.parse(time ?? ''))
    expect(times.map((time) => time - (times[0] ?? 0))).to.deep.equal(browsers.map((_, i) => i * 1_001))
  })

  it('of a link that nobody visited is empty', async () => {
    const quiet = await addLink(service.db, { owner: ada.id })
    const answer = await service.request('GET', `/links/${quiet}/visits/export?format=ndjson`, { token: ada.token })
    expect([answer.status, answer.text]).to.deep.equal([200, ''])
  })

  it('has no other format', async () => {
    expect((await get('?format=xml')).json).to.include({ status: 400, code: 'invalid_query' })
  })
})
