import { expect } from 'chai'

import { keepLog } from '../support/log.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { AGENTS, countsOf, follow, makeLink, untilCounted, type MadeLink } from '../support/visitors.js'
import { addVisits } from '../support/visits.js'

const ADDRESS = '203.0.113.77'
const MARK = 'Zanzibar-Agent/77'

describe('counting visits', () => {
  const { log, lines } = keepLog()
  let service: TestService
  let ada: TestUser
  before(async () => {
    service = await startTestService({
      environment: { TRUSTED_PROXY_HOPS: '1', COUNTRY_HEADER: 'X-Country' },
      log,
    })
    ada = await service.addUser('editor')
  })
  after(() => service.stop())

  const made = (fields: object = {}) => makeLink(service, ada, fields)
  const visit = (link: MadeLink, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    follow(service, link, headers, method)
  const rows = (text: string, { id }: MadeLink) => service.db.asOwner(text, [id])
  const singles = (link: MadeLink) =>
    rows(
      `select referrer, country, browser, os, device, bot from visits where link_id = $1
        order by bot, browser, referrer nulls first`,
      link,
    )
  const visitors = async (link: MadeLink) =>
    (await rows('select sum(visitors)::int as n from visit_hours where link_id = $1', link))[0]?.['n']

  it('counts people and bots apart, and nobody who only looks', async () => {
    const link = await made()
    await visit(link, {}, 'HEAD')
    await visit(link, { 'Sec-Purpose': 'prefetch' })
    await visit(link, { 'User-Agent': 'WhatsApp/2.23.20' })
    await visit(link, { 'User-Agent': 'TelegramBot (like TwitterBot)' })
    await service.request('GET', `/${link.code}+`)
    await visit(link)
    await visit(link, { 'User-Agent': AGENTS.safari, Referer: 'https://www.news.example/article?secret=1' })
    await visit(link, { 'User-Agent': AGENTS.googlebot })
    await untilCounted(service, link, 3)
    expect(await countsOf(service, link)).to.deep.equal({ visits: 2, bots: 1 })
    const nothing = { referrer: null, country: null }
    expect(await singles(link)).to.deep.equal([
      { ...nothing, browser: 'Chrome', os: 'Windows', device: 'desktop', bot: false },
      { ...nothing, referrer: 'news.example', browser: 'Safari', os: 'iOS', device: 'mobile', bot: false },
      { ...nothing, browser: 'Googlebot', os: null, device: null, bot: true },
    ])
  })

  it('knows a visitor again on the same day, by address and user agent', async () => {
    const link = await made()
    const from = (address: string, agent: string = AGENTS.chrome) =>
      visit(link, { 'X-Forwarded-For': address, 'User-Agent': agent })
    await from('203.0.113.1')
    await from('203.0.113.1')
    await from('203.0.113.2')
    await untilCounted(service, link, 3)
    await from('203.0.113.1')
    await from('203.0.113.1', AGENTS.firefox)
    await from('203.0.113.3', AGENTS.googlebot)
    await untilCounted(service, link, 6)
    expect(await visitors(link)).to.equal(3)
  })

  it('only adds one for whoever asks not to be tracked', async () => {
    const link = await made()
    const headers = { Referer: 'https://news.example/', 'X-Country': 'DE' }
    await visit(link, { ...headers, 'Sec-GPC': '1' })
    await visit(link, { ...headers, DNT: '1' })
    await untilCounted(service, link, 2)
    expect(await singles(link)).to.deep.equal([])
    expect(await visitors(link)).to.equal(0)
    expect(await rows('select distinct value, visits from visit_values where link_id = $1', link)).to.deep.equal([
      { value: '', visits: 2 },
    ])
  })

  it('takes the country from the header of a trusted proxy, where it is one', async () => {
    const link = await made()
    for (const country of ['DE', 'fr', 'XX', 'T1', 'Germany', "'--"]) await visit(link, { 'X-Country': country })
    await untilCounted(service, link, 6)
    const text = `select value, visits from visit_values where link_id = $1 and dimension = 'country' order by value`
    expect(await rows(text, link)).to.deep.equal([
      { value: '', visits: 4 },
      { value: 'DE', visits: 1 },
      { value: 'FR', visits: 1 },
    ])
  })

  it('keeps only hosts of the web as referrers, and no name that a visitor invents for a browser', async () => {
    const link = await made()
    const sent = [
      'https://News.Example:8443/a',
      'https://www.news.example./',
      'android-app://com.example',
      'not a url',
      'javascript:alert(1)',
      `https://${'a'.repeat(60)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(20)}.example/`,
      service.baseUrl,
    ]
    for (const referer of sent) await visit(link, { Referer: referer })
    await visit(link, { 'User-Agent': 'Mozilla/5.0 Evil<script>/1.0 (my own system)' })
    await untilCounted(service, link, 8)
    const values = await rows(
      `select dimension::text, value, visits from visit_values where link_id = $1
        and dimension in ('referrer', 'browser')
        order by 1, 2`,
      link,
    )
    expect(values).to.deep.equal([
      { dimension: 'browser', value: '', visits: 1 },
      { dimension: 'browser', value: 'Chrome', visits: 7 },
      { dimension: 'referrer', value: '', visits: 6 },
      { dimension: 'referrer', value: 'news.example', visits: 2 },
    ])
  })

  it('keeps 100 referrers of a link in an hour, and counts the rest as other', async () => {
    const link = await made()
    const from = (first: number, number: number) =>
      Promise.all(
        Array.from({ length: number }, (_, i) => visit(link, { Referer: `https://site-${first + i}.example/` })),
      )
    await from(0, 70)
    await untilCounted(service, link, 70)
    await from(60, 80)
    await untilCounted(service, link, 150)
    const [sums] = await rows(
      `select count(*)::int as kept, sum(visits)::int as visits,
              (sum(visits) filter (where value = 'other'))::int as others
         from visit_values where link_id = $1 and dimension = 'referrer'`,
      link,
    )
    // an hour may have begun meanwhile
    expect(sums?.['visits']).to.equal(150)
    expect(sums?.['kept']).to.be.within(101, 201)
    const [single] = await rows(`select count(distinct referrer)::int as n from visits where link_id = $1`, link)
    expect(single?.['n']).to.equal(sums?.['kept'])
  })

  it('counts a link with a password once it is typed, and one with a maximum as often as it is given', async () => {
    const guarded = await made({ password: 'open sesame' })
    await visit(guarded)
    const typed = await service.request('POST', `/${guarded.code}`, {
      body: 'password=open+sesame',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': AGENTS.chrome },
    })
    expect(typed.status).to.equal(303)
    const few = await made({ max_visits: 2 })
    for (const status of [302, 302, 410]) expect((await visit(few)).status).to.equal(status)
    await untilCounted(service, guarded, 1)
    await untilCounted(service, few, 2)
    expect(await countsOf(service, guarded)).to.deep.equal({ visits: 1, bots: 0 })
    expect(await countsOf(service, few)).to.deep.equal({ visits: 2, bots: 0 })
  })

  it('counts what was in memory when a link was deleted, restored, transferred, or is gone for good', async () => {
    const bob = await service.addUser('editor')
    const root = await service.addUser('admin')
    const [deleted, restored, given] = [await made(), await made(), await made()]
    for (const link of [deleted, restored, given]) await visit(link)
    const { token } = root
    for (const link of [deleted, restored]) await service.request('DELETE', `/links/${link.code}`, { token })
    await service.request('POST', `/links/${restored.id}/restore`, { token })
    await service.request('POST', `/links/${given.code}/transfer`, { token, json: { owner_id: bob.id } })
    for (const link of [deleted, restored, given]) await untilCounted(service, link, 1)
    const gone = await made()
    await visit(gone)
    await service.db.asOwner(
      'begin; set local session_replication_role = replica; delete from links where id = ' + gone.id + '; commit',
    )
    const last = await made()
    await visit(last)
    await untilCounted(service, last, 1)
  })

  it('agrees everywhere: the number, the hours and each breakdown, of links and of their owners', async () => {
    const sums = await service.db.asOwner(`
      with numbers as (select sum(visits)::int as v, sum(bots)::int as b from visit_counts),
        hours as (select sum(visits)::int as v, sum(bots)::int as b from visit_hours),
        owners as (select (owner_id = 0) as all, sum(visits)::int as v, sum(bots)::int as b
          from owner_visit_hours group by 1),
        parts as (select dimension, sum(visits)::int as v, sum(bots)::int as b from visit_values group by 1),
        owner_parts as (select (owner_id = 0) as all, dimension, sum(visits)::int as v, sum(bots)::int as b
          from owner_visit_values group by 1, 2)
      select distinct v, b from (select v, b from numbers union all select v, b from hours union all
        select v, b from owners union all select v, b from parts union all select v, b from owner_parts) each`)
    expect(sums).to.have.length(1)
    expect(sums[0]?.['v']).to.be.greaterThan(100)
  })

  it('leaves no address and no user agent in any table, file, log line or metric', async () => {
    const link = await made()
    const visits = Array.from({ length: 1_000 }, (_, i) => i)
    for (let from = 0; from < visits.length; from += 100)
      await Promise.all(
        visits.slice(from, from + 100).map((i) =>
          visit(link, {
            'X-Forwarded-For': ADDRESS,
            'User-Agent': `${MARK} (${i})`,
            Referer: `https://r${i % 9}.example/p`,
          }),
        ),
      )
    await untilCounted(service, link, 1_000)
    const tables = await service.db.asOwner<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    expect(tables).to.have.length.of.at.least(20)
    for (const { name } of tables) {
      const [found] = await service.db.asOwner(
        `select count(*)::int as n from ${name} t
          where t::text like '%' || $1 || '%' or t::text ilike '%' || $2 || '%'`,
        [ADDRESS, 'zanzibar'],
      )
      expect(found, name).to.deep.equal({ n: 0 })
    }
    // the files of the database and its log of changes, as the server itself reads them
    const [files] = await service.db.asOwner(
      `with paths as (
         select 'base/' || d.oid || '/' || f as path from pg_database d, pg_ls_dir('base/' || d.oid) f
          where d.datname = current_database()
         union all select 'pg_wal/' || name from pg_ls_waldir())
       select count(*)::int as read, count(*) filter (where position($1::bytea in bytes) > 0)::int as found
         from (select pg_read_binary_file(path, true) as bytes from paths) each`,
      [Buffer.from(MARK.slice(0, 8))],
    )
    expect(files?.['read']).to.be.greaterThan(100)
    expect(files?.['found']).to.equal(0)
    const metrics = (await service.request('GET', '/metrics', { headers: { 'X-Forwarded-For': '' } })).text
    const written = [...lines(), metrics].join('\n')
    expect(written).to.not.include(ADDRESS)
    expect(written.toLowerCase()).to.not.include('zanzibar')
  })

  it('keeps the salt of the day where the clock of the database was set back', async () => {
    await service.db.asOwner('update visit_salt set day = day + 1')
    const [before] = await service.db.asOwner('select day::text, salt from visit_salt')
    const [now] = await service.db.asOwner('select day::text, salt from visit_day()')
    expect(now).to.deep.equal(before)
    await service.db.asOwner('update visit_salt set day = day - 1')
  })

  it('forgets the salt and the visitors of a day with the first visit of the next', async () => {
    const [before] = await service.db.asOwner(
      'select salt, (select count(*)::int from daily_visitors) as n from visit_salt',
    )
    expect(before?.['n']).to.be.greaterThan(0)
    await service.db.asOwner('update visit_salt set day = day - 1')
    const other = await startTestService({ db: service.db })
    try {
      const link = await made()
      await follow(other, link)
      await untilCounted(other, link, 1)
      // what was hashed under the salt of yesterday is no visitor of today
      await addVisits(service.db, [{ link: link.id, at: Date.now(), visitor: '81985529216486895' }], {
        day: '(select day - 1 from visit_salt)',
      })
      expect(await countsOf(service, link)).to.deep.equal({ visits: 2, bots: 0 })
      expect(await visitors(link)).to.equal(1)
      expect(await service.db.asOwner('select link_id from daily_visitors')).to.deep.equal([{ link_id: link.id }])
      const [after] = await service.db.asOwner('select count(*)::int as n, min(salt) <> $1 as other from visit_salt', [
        before?.['salt'],
      ])
      expect(after).to.deep.equal({ n: 1, other: true })
    } finally {
      await other.stop()
    }
  })
})
