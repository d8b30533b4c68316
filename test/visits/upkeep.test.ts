import { expect } from 'chai'
import { Client, type QueryResultRow } from 'pg'

import { backgroundWork } from '../../src/jobs/background-work.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { within } from '../support/until.js'
import { addVisits, writeVisits } from '../support/visits.js'
import { countsOf, makeLink, type MadeLink } from '../support/visitors.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('the upkeep of visits', () => {
  let service: TestService
  let ada: TestUser
  let bob: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService({ environment: { VISITS: 'off', TRASH_DAYS: '1' } })
    ada = await service.addUser('editor')
    bob = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  /** Counts one visit of each age, in milliseconds. */
  const add = async ({ id }: MadeLink, ages: readonly number[], referrer = 'news.example') => {
    const now = Date.now()
    const visits = ages.map((age) => ({ link: id, at: now - age, referrer, single: true }))
    await addVisits(service.db, visits, { day: 'null' })
  }
  const run = async (name: string) => {
    const jobs = backgroundWork(service.database, { trashDays: 1, visitDays: 90 })
    return jobs.find((job) => job.name === name)?.run(() => false)
  }
  const number = async (text: string, ...values: readonly string[]) =>
    Number((await service.db.asOwner<{ n: number }>(`select (${text})::int as n`, [...values]))[0]?.n ?? 0)
  const totalOf = async (owner: string) => [
    await number('select sum(visits) from owner_visit_hours where owner_id = $1', owner),
    await number(`select sum(visits) from owner_visit_values where owner_id = $1 and dimension = 'referrer'`, owner),
  ]

  it('begins no further step once the process stops', async () => {
    let steps = 0
    const endless = {
      run: <Row extends QueryResultRow>() => {
        steps += 1
        return service.database.run<Row>({ text: 'select 1 as done' })
      },
    }
    const jobs = backgroundWork(endless, { trashDays: 1, visitDays: 90 })
    expect(await jobs.find(({ name }) => name === 'move_visits')?.run(() => steps === 3)).to.equal(3)
  })

  it('forgets who came on a day that is over, also where nobody comes on the next, or visits are off', async () => {
    await run('visit_day')
    const link = await makeLink(service, ada)
    const salt = async () => String((await service.db.asOwner('select salt from visit_salt'))[0]?.['salt'])
    const visitor = { link: link.id, at: Date.now(), visitor: '81985529216486895' }
    await addVisits(service.db, [visitor], { day: '(select day from visit_salt)' })
    await run('visit_day')
    expect(await number('select count(*) from daily_visitors')).to.equal(1)
    const before = await salt()
    await service.db.asOwner('update visit_salt set day = day - 1')
    await service.db.asOwner(
      `insert into visit_writers (id, batch, wrote_at) values (gen_random_uuid(), 1, now() - interval '31 days')`,
    )
    const writers = await number('select count(*) from visit_writers')
    await run('visit_day')
    expect(await number('select count(*) from visit_writers'), 'the process of a month ago').to.equal(writers - 1)
    expect(await number('select count(*) from daily_visitors')).to.equal(0)
    expect(await salt()).to.not.equal(before)
    expect(await number('select count(*) from visit_salt')).to.equal(1)
  })

  it('begins a day once where several processes ask for it at once, and refuses none of them', async () => {
    await service.db.asOwner('update visit_salt set day = day - 1')
    const blocker = new Client(service.db.owner)
    await blocker.connect()
    await blocker.query('begin; select pg_advisory_xact_lock(7274512)')
    const days = Promise.all([1, 2, 3].map(() => service.database.run({ text: 'select salt::text from visit_day()' })))
    await lockWaiters(service.db.asOwner, 3)
    await blocker.end()
    const salts = (await days).map(([row]) => row?.['salt'])
    expect(new Set(salts).size).to.equal(1)
  })

  it('begins a day while a process that has written nothing for a month writes its first batch', async () => {
    const link = await makeLink(service, ada)
    await service.db.asOwner('update visit_salt set day = day - 1')
    const writer = '00000000-0000-4000-8000-00000000000b'
    await service.db.asOwner(`insert into visit_writers values ($1, 1, now() - interval '31 days')`, [writer])
    const reading = new Client(service.db.owner)
    await reading.connect()
    try {
      await reading.query('begin; lock table daily_visitors in access share mode')
      const begun = service.database.run({ text: 'select salt::text from visit_day()' })
      await lockWaiters(service.db.asOwner)
      const written = writeVisits(service.db, [{ link: link.id, at: Date.now() }], { writer, number: 2, day: 'null' })
      await lockWaiters(service.db.asOwner, 2)
      await reading.query('commit')
      expect(await begun).to.have.length(1)
      await written
    } finally {
      await reading.end()
    }
  })

  it('tells the salt of the day also while somebody counts, or gives many links away', async () => {
    const counting = new Client(service.db.owner)
    await counting.connect()
    try {
      await counting.query('begin; select pg_advisory_xact_lock(7274510)')
      const asked = service.database.run({ text: 'select salt::text from visit_day()' })
      expect(await within('the salt, while another transaction counts', asked)).to.have.length(1)
    } finally {
      await counting.end()
    }
  })

  it('leaves nothing of a value that was taken from an owner’s hour after their day was merged', async () => {
    const day = 24 * 15_000
    for (const [hour, visits] of [
      [day + 12, 1],
      [day + 3, -1],
    ]) {
      await service.db.asOwner('insert into owner_visit_hours values ($1, $2, $3, 0, 0)', [ada.id, hour, visits])
      await service.db.asOwner(`insert into owner_visit_values values ($1, $2, 'referrer', 'gone.example', $3, 0)`, [
        ada.id,
        hour,
        visits,
      ])
    }
    await run('sum_visit_days')
    expect(await number(`select count(*) from owner_visit_values where value = 'gone.example'`)).to.equal(0)
    expect(await number(`select count(*) from owner_visit_hours where hour / 24 * 24 = ${day}`)).to.equal(0)
  })

  it('makes the months that come, and drops those in which every visit is too old', async () => {
    await run('visit_months')
    const months = async () =>
      (
        await service.db.asOwner<{ name: string }>(
          `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'visits'::regclass order by 1`,
        )
      ).map(({ name }) => name)
    const now = new Date()
    const names = [0, 1, 2].map((ahead) => {
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1))
      return `visits_${month.toISOString().slice(0, 7).replace('-', '_')}`
    })
    expect(await months()).to.deep.equal([...names, 'visits_default'])
    await service.db.asOwner(
      `create table visits_2020_01 partition of visits for values from ('2020-01-01Z') to ('2020-02-01Z')`,
    )
    await run('visit_months')
    expect(await months()).to.deep.equal([...names, 'visits_default'])
  })

  it('removes single visits after VISIT_DAYS, and keeps what they add up to', async () => {
    const link = await makeLink(service, ada)
    await add(link, [0, 89 * DAY, 91 * DAY, 400 * DAY])
    await run('expire_visits')
    expect(await number('select count(*) from visits where link_id = $1', link.id)).to.equal(2)
    expect((await countsOf(service, link)).visits).to.equal(4)
    expect(await number('select sum(visits) from visit_hours where link_id = $1', link.id)).to.equal(4)
  })

  it('removes old visits past those that another step is removing', async () => {
    const [kept, gone] = [await makeLink(service, ada), await makeLink(service, ada)]
    await add(kept, [92 * DAY])
    await add(gone, [92 * DAY])
    const removing = new Client(service.db.owner)
    await removing.connect()
    try {
      await removing.query('begin')
      await removing.query('delete from visits where link_id = $1', [gone.id])
      expect(await within('old visits, while another step removes some', run('expire_visits'))).to.equal(1)
      await removing.query('rollback')
    } finally {
      await removing.end()
    }
    expect(await run('expire_visits')).to.equal(1)
  })

  it('adds the hours of old days to one, for links and owners, and keeps each sum; twice changes nothing', async () => {
    const link = await makeLink(service, ada)
    const ages = Array.from({ length: 60 }, (_, i) => 30 * DAY + i * 7 * HOUR)
    await add(link, ages)
    const before = await totalOf(ada.id)
    const days = `select count(distinct hour / 24) from visit_hours where link_id = $1`
    const [daysBefore, hoursBefore] = [await number(days, link.id), ages.length]
    expect(await number('select count(*) from visit_hours where link_id = $1', link.id)).to.equal(hoursBefore)
    for (let times = 0; times < 2; times += 1) {
      await run('sum_visit_days')
      expect(await totalOf(ada.id)).to.deep.equal(before)
      expect(await number(days, link.id)).to.equal(daysBefore)
      for (const table of ['visit_hours', 'visit_values'])
        expect(await number(`select sum(visits) from ${table} where link_id = $1`, link.id)).to.be.oneOf([60, 300])
      const old = `hour < extract(epoch from date_trunc('day', now(), 'UTC')) / 3600 - 35 * 24 and hour % 24 <> 12`
      for (const table of ['visit_hours', 'visit_values', 'owner_visit_hours', 'owner_visit_values'])
        expect(await number(`select count(*) from ${table} where ${old}`), table).to.equal(0)
    }
    // a visit of a day that was added up: a clock that was set back
    await add(link, [50 * DAY])
    await run('sum_visit_days')
    expect(await number('select sum(visits) from visit_hours where link_id = $1', link.id)).to.equal(61)
    expect(await number(days, link.id)).to.be.within(daysBefore, daysBefore + 1)
  })

  it('moves the visits of a link that was given away from the totals of one owner to those of the other', async () => {
    const link = await makeLink(service, ada)
    await add(link, [0, HOUR, 40 * DAY])
    const [adas, bobs, all] = [await totalOf(ada.id), await totalOf(bob.id), await totalOf('0')]
    const given = await service.request('POST', `/links/${link.code}/transfer`, {
      token: root.token,
      json: { owner_id: bob.id },
    })
    expect(given.status).to.equal(200)
    // counted before it is moved: in the totals of the owner before
    await add(link, [0])
    expect(await run('move_visits')).to.equal(1)
    expect(await totalOf(ada.id)).to.deep.equal(adas.map((n) => n - 3))
    expect(await totalOf(bob.id)).to.deep.equal(bobs.map((n) => n + 4))
    expect(await totalOf('0')).to.deep.equal(all.map((n) => n + 1))
    await add(link, [0])
    expect(await totalOf(bob.id)).to.deep.equal(bobs.map((n) => n + 5))
    expect(await run('move_visits')).to.equal(0)
  })

  it('keeps the visits of a deleted link while it can be restored, and forgets them when it is gone', async () => {
    const link = await makeLink(service, ada)
    const before = [await totalOf(ada.id), await totalOf('0')]
    await add(link, [0, HOUR])
    await service.request('DELETE', `/links/${link.code}`, { token: ada.token })
    await run('forget_visits')
    expect((await countsOf(service, link)).visits).to.equal(2)
    await service.db.asOwner(`update deleted_links set deleted_at = now() - interval '2 days' where id = $1`, [link.id])
    await run('purge_trash')
    await run('forget_visits')
    for (const table of ['visits', 'visit_hours', 'visit_values', 'visit_counts'])
      expect(await number(`select count(*) from ${table} where link_id = $1`, link.id), table).to.equal(0)
    expect([await totalOf(ada.id), await totalOf('0')]).to.deep.equal(before)
  })

  it('forgets a link with more visits than a step may delete in several, and keeps nobody waiting for it', async () => {
    const [busy, quiet] = [await makeLink(service, ada), await makeLink(service, ada)]
    const visitsOf = (link: MadeLink) => number('select count(*) from visits where link_id = $1', link.id)
    await add(busy, [0])
    await add(quiet, [0])
    await service.db.asOwner(
      `insert into visits (time, link_id, bot, moments) select now(), $1, false, '{0}' from generate_series(1, 20000)`,
      [busy.id],
    )
    await service.db.asOwner('update visit_counts set visits = 20001 where link_id = $1', [busy.id])
    for (const { code } of [busy, quiet]) await service.request('DELETE', `/links/${code}`, { token: ada.token })
    await service.db.asOwner(`update deleted_links set deleted_at = now() - interval '2 days'`)
    await run('purge_trash')
    const left: number[] = []
    while ((await number('select forget_visits()')) > 0) left.push((await visitsOf(busy)) + (await visitsOf(quiet)))
    expect(left).to.deep.equal([20_001, 10_001, 1, 0])
  })

  it('leaves no referrer in the totals that only a deleted link had', async () => {
    const link = await makeLink(service, ada)
    await add(link, [0], 'secret.example')
    const known = `select count(*) from owner_visit_values where value = 'secret.example'`
    expect(await number(known)).to.equal(2)
    await service.request('DELETE', `/links/${link.code}`, { token: ada.token })
    await service.db.asOwner(`update deleted_links set deleted_at = now() - interval '2 days' where id = $1`, [link.id])
    await run('purge_trash')
    await run('forget_visits')
    expect(await number(known)).to.equal(0)
  })

  it('lets a transfer wait for a count that saw the owner before', async () => {
    const link = await makeLink(service, ada)
    const counting = new Client(service.db.owner)
    await counting.connect()
    await counting.query('begin; select pg_advisory_xact_lock(7274510)')
    const giving = service.request('POST', `/links/${link.code}/transfer`, {
      token: root.token,
      json: { owner_id: bob.id },
    })
    await lockWaiters(service.db.asOwner)
    await counting.query('insert into visit_counts values ($1, $2, $2, 1, 0, now())', [link.id, ada.id])
    await counting.query('commit')
    await counting.end()
    expect((await giving).status).to.equal(200)
    expect(await number('select owner_id from visit_counts where link_id = $1', link.id)).to.equal(Number(bob.id))
    await run('move_visits')
  })

  it('runs a job whose last run is in the future, since the clock was set back, and replaces such a salt', async () => {
    const claim = async () => number(`select claim_job('a job', 60)::int`)
    expect([await claim(), await claim()]).to.deep.equal([1, 0])
    await service.db.asOwner(`update job_runs set ran_at = now() + interval '1 month' where name = 'a job'`)
    expect([await claim(), await claim()]).to.deep.equal([1, 0])
    await run('visit_day')
    await service.db.asOwner('update visit_salt set day = day + 30')
    await run('visit_day')
    expect(await number(`select day - (now() at time zone 'UTC')::date from visit_salt`)).to.equal(0)
  })

  it('forgets the totals of a user who was deleted, and moves those of links that somebody else got', async () => {
    const carol = await service.addUser('editor')
    const [kept, lost] = [await makeLink(service, carol), await makeLink(service, carol)]
    await add(kept, [0])
    await add(lost, [0, 0])
    await service.request('DELETE', `/links/${lost.code}`, { token: carol.token })
    const bobs = await totalOf(bob.id)
    const gone = await service.request('DELETE', `/users/${carol.id}?links=transfer:${bob.id}`, { token: root.token })
    expect(gone.status, gone.text).to.equal(204)
    await run('move_visits')
    await run('forget_visits')
    expect(await totalOf(carol.id)).to.deep.equal([0, 0])
    expect(await number('select count(*) from owner_visit_values where owner_id = $1', carol.id)).to.equal(0)
    expect(await totalOf(bob.id)).to.deep.equal(bobs.map((n) => n + 3))
  })
})
