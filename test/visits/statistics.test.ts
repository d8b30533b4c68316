import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { at, listAt, textAt } from '../support/json.js'
import { addLink } from '../support/records.js'
import { random } from '../support/random.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { HOUR, addVisits, inHour, linkId } from '../support/visits.js'

interface Row {
  readonly code: string
  readonly hour: number
  readonly visits: number
  readonly bots: number
}

describe('statistics of visits', () => {
  let service: TestService
  let ada: TestUser
  before(async () => {
    service = await startTestService({ environment: { VISIT_DAYS: '3650', REQUEST_DEADLINE_MS: '60000' } })
    ada = await service.addUser('editor')
  })
  after(() => service.stop())

  const linkOf = async ({ id }: TestUser) => {
    const code = await addLink(service.db, { owner: id })
    return { code, id: await linkId(service.db, code) }
  }
  const ask = async (path: string, { token } = ada) => {
    const { status, json, text } = await service.request('GET', path, { token })
    expect(status, text).to.equal(200)
    return json
  }
  const THIS_HOUR = Math.floor(Date.now() / HOUR)

  it('count what was written in the hour that has begun', async () => {
    const { id, code } = await linkOf(ada)
    await addVisits(service.db, [{ link: id, at: Date.now() }])
    const json = await ask(`/links/${code}/visits`)
    expect(json).to.include({ total: 1, interval: 'day', zone: 'UTC' })
    expect(Date.parse(textAt(json, 'to'))).to.be.above(Date.now())
    expect(listAt(json, 'series').at(-1)).to.include({ visits: 1 })
    expect(listAt(json, 'series').length).to.be.within(30, 32)
  })

  it('have the members that the guide shows', async () => {
    const guide = await readFile(new URL('docs/visits.md', PACKAGE_ROOT), 'utf8')
    const [, shown = ''] = /^```json\n([^]*?)^```$/m.exec(guide) ?? []
    const { code } = await linkOf(ada)
    const members = Object.keys(Object(await ask(`/links/${code}/visits`)))
    expect(Object.keys(Object(JSON.parse(shown)))).to.have.ordered.members(members)
  })

  it('are those of days that are 23 or 25 hours long, where clocks are changed', async () => {
    const { id, code } = await linkOf(ada)
    const first = Date.UTC(2026, 2, 27) / HOUR
    await addVisits(
      service.db,
      Array.from({ length: 5 * 24 }, (_, i) => ({ link: id, at: inHour(first + i) })),
    )
    const days = async (from: string, to: string, zone: string) =>
      listAt(await ask(`/links/${code}/visits?from=${from}&to=${to}&zone=${zone}`), 'series').map((each) =>
        at(each, 'visits'),
      )
    expect(await days('2026-03-28', '2026-03-31', 'Europe/Berlin')).to.deep.equal([24, 23, 24])
    expect(await days('2026-03-28', '2026-03-31', 'UTC')).to.deep.equal([24, 24, 24])
    expect(await days('2026-03-28', '2026-03-31', 'Asia/Kolkata')).to.deep.equal([24, 24, 24])
    // 25 hours in October
    const autumn = Date.UTC(2026, 9, 23) / HOUR
    const { id: other, code: late } = await linkOf(ada)
    await service.db.asOwner(
      `insert into visit_hours select $1::bigint, h, 1, 0, 0 from generate_series($2::int, $2::int + 119) h`,
      [other, autumn],
    )
    const berlin = await ask(`/links/${late}/visits?from=2026-10-24&to=2026-10-27&zone=Europe/Berlin`)
    expect(listAt(berlin, 'series')).to.deep.equal([
      { time: '2026-10-23T22:00:00.000Z', visits: 24, visitors: 0 },
      { time: '2026-10-24T22:00:00.000Z', visits: 25, visitors: 0 },
      { time: '2026-10-25T23:00:00.000Z', visits: 24, visitors: 0 },
    ])
  })

  it('have at most a hundred values of each, and the rest of them together', async () => {
    const { id, code } = await linkOf(ada)
    const within = (hour: number) => inHour(THIS_HOUR - 30 + hour)
    // 100 referrers of an hour are kept, so that 50 of these are `other` when they are written
    await addVisits(
      service.db,
      Array.from({ length: 150 }, (_, i) => ({ link: id, at: within(0), referrer: `${100 + i}.one.example` })),
    )
    await addVisits(
      service.db,
      Array.from({ length: 40 }, (_, i) => ({ link: id, at: within(1), referrer: `${100 + i}.two.example` })),
    )
    await addVisits(service.db, [
      { link: id, at: within(2), referrer: '100.two.example' },
      { link: id, at: within(2), referrer: '101.two.example' },
      { link: id, at: within(2), referrer: '101.two.example' },
    ])
    const json = await ask(`/links/${code}/visits`)
    const referrers = listAt(json, 'by', 'referrer')
    expect(referrers).to.have.length(101)
    expect(referrers.slice(0, 2)).to.deep.equal([
      { value: '101.two.example', visits: 3 },
      { value: '100.two.example', visits: 2 },
    ])
    expect(referrers.at(-1)).to.deep.equal({ value: 'other', visits: 193 - 3 - 2 - 98 })
    expect(listAt(json, 'by', 'os')).to.deep.equal([{ value: null, visits: 193 }])
  })

  it('name the ten links that were visited most in the range, whatever they had before it', async () => {
    const bob = await service.addUser('editor')
    const chance = random(7)
    const rows: Row[] = []
    const links = await Promise.all(Array.from({ length: 130 }, () => linkOf(bob)))
    for (const { id, code } of links)
      for (const hour of [THIS_HOUR - 2_000, THIS_HOUR - 100, THIS_HOUR - 10]) {
        if (chance.next() < 0.4) continue
        const row = { code, hour, visits: chance.integer(0, 30), bots: chance.integer(0, 30) }
        rows.push(row)
        await service.db.asOwner(
          `with c as (
             insert into visit_counts as c (link_id, owner_id, counted_for, visits, bots, last_at)
             values ($1, $2, $2, $4, $5, to_timestamp($3 * 3600::bigint) + interval '1 minute')
             on conflict (link_id) do update set visits = c.visits + $4, bots = c.bots + $5, last_at = excluded.last_at)
           insert into visit_hours values ($1, $3, $4, $5, 0)`,
          [id, bob.id, hour, row.visits, row.bots],
        )
      }
    for (const [bots, count] of [
      ['false', (row: Row) => row.visits],
      ['true', (row: Row) => row.visits + row.bots],
      ['only', (row: Row) => row.bots],
    ] as const)
      for (const hours of [20, 200, 3_000]) {
        const from = new Date((THIS_HOUR - hours) * HOUR).toISOString()
        const sums = new Map<string, number>()
        for (const row of rows.filter(({ hour }) => hour >= THIS_HOUR - hours))
          sums.set(row.code, (sums.get(row.code) ?? 0) + count(row))
        const best = [...sums.values()].toSorted((a, b) => b - a).slice(0, 10)
        const answered = listAt(await ask(`/visits?from=${from}&bots=${bots}`, bob), 'links')
        expect(
          answered.map((each) => at(each, 'visits')),
          `${bots}, ${hours} hours`,
        ).to.deep.equal(best)
        for (const each of answered) expect(sums.get(textAt(each, 'code'))).to.equal(at(each, 'visits'))
      }
  })

  it('of a tag end at a deadline of their own, with a word on what to do', async () => {
    const blocker = new Client(service.db.owner)
    await blocker.connect()
    try {
      await blocker.query('begin; lock table visit_hours in access exclusive mode')
      const answer = await service.request('GET', '/visits?tag=spring', { token: ada.token })
      expect(answer.json).to.include({
        status: 503,
        code: 'deadline_exceeded',
        detail: 'Adding up these links took too long. Ask for a shorter time.',
      })
      expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    } finally {
      await blocker.end()
    }
    expect(at(await ask('/visits?tag=spring'), 'total')).to.equal(0)
  })

  it('are refused for a query that says nothing, with the parameter that is wrong', async () => {
    const { code } = await linkOf(ada)
    for (const [query, field] of [
      ['from=yesterday', 'from'],
      ['from=1969-12-31', 'from'],
      ['to=2026-02-30', 'to'],
      ['from=2026-11-02&to=2026-11-01', 'from'],
      ['interval=year', 'interval'],
      ['from=2001-01-01&interval=hour', 'interval'],
      ['zone=Mars/Olympus', 'zone'],
      ['zone=%2B02:00', 'zone'],
      ['bots=yes', 'bots'],
      ['bots=true&bots=only', 'bots'],
      ['limit=3', 'limit'],
    ] as const)
      for (const path of [`/links/${code}/visits`, '/visits']) {
        const { json, text } = await service.request('GET', `${path}?${query}`, { token: ada.token })
        expect(json, `${path}?${query}`).to.include({ status: 400, code: 'invalid_query' })
        expect(
          listAt(json, 'errors').map((each) => at(each, 'field')),
          text,
        ).to.deep.equal([field])
      }
    const { json } = await service.request('GET', `/links/${code}/visits?tag=a`, { token: ada.token })
    expect(json).to.include({ status: 400 })
    for (const from of ['yesterday', '2026-02-30', '1969-12-31', '0000-01-01']) {
      const answer = await service.request('GET', `/links/${code}/visits?from=${from}`, { token: ada.token })
      expect(at(answer.json, 'errors', 0, 'message'), from).to.match(/^must be a day such as .* from 1970 to 9999$/)
    }
  })
})
