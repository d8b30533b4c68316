import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { createVisits, type Visits } from '../../src/visits/visits.js'
import { valueOf } from '../support/exposition.js'
import { at } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'
import { countsOf, makeLink, type MadeLink } from '../support/visitors.js'
import { VISITS, columnsOf } from '../support/visits.js'

describe('visits that are written and not yet in the totals', () => {
  let service: TestService
  let ada: TestUser
  let link: MadeLink
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
  })
  beforeEach(async () => {
    link = await makeLink(service, ada)
  })
  after(() => service.stop())

  /** As another process does it that is killed before it counts: this service does not know of it. */
  const write = (visits: number) =>
    service.db.asOwner('select add_visits($1, 1, null, $2, $3, $4, $5, $6)', [
      randomUUID(),
      ...columnsOf(Array.from({ length: visits }, () => ({ link: link.id, at: Date.now() }))),
    ])

  for (const { name, path } of [
    { name: 'of a link', path: () => `/links/${link.code}/visits?interval=day` },
    { name: 'of all links', path: () => '/visits?interval=day' },
  ]) {
    it(`are in the statistics ${name}`, async () => {
      const total = async () => at((await service.request('GET', path(), { token: ada.token })).json, 'total')
      const before = Number(await total())
      await write(3)
      // not within the half second after the totals were asked for
      await until('they are told', async () => (await total()) === before + 3, { withinMs: 5_000 })
      expect(await countsOf(service, link)).to.deep.equal({ visits: 3, bots: 0 })
    })
  }

  it('are told to those who follow the link live', async () => {
    const leaving = new AbortController()
    const answer = await fetch(`${service.baseUrl}/links/${link.code}/visits/live`, {
      headers: { Authorization: `Bearer ${ada.token}` },
      signal: leaving.signal,
    })
    const events = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const read = async (): Promise<boolean> => {
      text += (await events?.read())?.value ?? ''
      return text.includes('"total":3')
    }
    while (!text.includes('"total":0')) await read()
    await write(3)
    await until('the event', read, { withinMs: 5_000 })
    leaving.abort()
    await until('nobody listens', async () => {
      const { text: metrics } = await service.request('GET', '/metrics')
      return valueOf(metrics, 'linkgate_visits_listeners') === 0
    })
  })

  describe('while counting takes long', () => {
    let blocker: Client
    beforeEach(async () => {
      blocker = new Client(service.db.owner)
      await blocker.connect()
      // later than half a second after the last time that somebody asked
      await delay(600)
      await blocker.query('begin; select pg_advisory_xact_lock(7274510)')
    })
    afterEach(() => blocker.end())

    it('everybody who asks waits for it, and not only the first one', async () => {
      await write(3)
      const total = async () =>
        at((await service.request('GET', `/links/${link.code}/visits`, { token: ada.token })).json, 'total')
      const first = total()
      await lockWaiters(service.db.asOwner)
      const second = total()
      await delay(100)
      await blocker.query('rollback')
      expect(await Promise.all([first, second])).to.deep.equal([3, 3])
    })

    it('old totals are answered within the deadline', async () => {
      const hasty = await startTestService({ db: service.db, environment: { REQUEST_DEADLINE_MS: '900' } })
      try {
        const token = await hasty.tokenFor(ada)
        for (const path of [`/links/${link.code}/visits`, '/visits'])
          expect((await hasty.request('GET', path, { token })).status, path).to.equal(200)
      } finally {
        await hasty.stop()
      }
    })
  })

  describe('of a process that counts rarely', () => {
    let visits: Visits
    beforeEach(() => {
      visits = createVisits({
        database: service.database,
        ...VISITS,
        intervalMs: 20,
        countEveryMs: 60_000,
      })
    })
    afterEach(() => visits.stop())
    const note = (number: number) => {
      for (let i = 0; i < number; i += 1) visits.note(link.id, { address: '203.0.113.1', header: () => undefined })
    }

    it('wait, unless somebody looks', async () => {
      note(1)
      await until('the first is counted', () => visits.stats().counted === 1)
      note(2_500)
      await until('they are written', async () => {
        const text = 'select coalesce(sum(cardinality(links)), 0)::int as n from added_visits'
        return (await service.db.asOwner<{ n: number }>(text))[0]?.n === 2_500
      })
      expect(await countsOf(service, link)).to.deep.equal({ visits: 1, bots: 0 })
      await until('they are counted', async () => {
        await visits.catchUp()
        return visits.stats().counted === 2_501
      })
      expect(await countsOf(service, link)).to.deep.equal({ visits: 2_501, bots: 0 })
    })

    it('are counted when it stops', async () => {
      note(1)
      await until('the first is counted', () => visits.stats().counted === 1)
      note(1_500)
      await visits.stop()
      expect(await countsOf(service, link)).to.deep.equal({ visits: 1_501, bots: 0 })
    })
  })
})
