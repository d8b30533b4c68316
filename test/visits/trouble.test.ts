import { expect } from 'chai'
import { Client, type QueryResultRow } from 'pg'

import { databaseAway } from '../../src/database/errors.js'
import { openPool, type PooledDatabase } from '../../src/database/pool.js'
import type { Statement } from '../../src/database/statement.js'
import { createVisits, type Visits } from '../../src/visits/visits.js'
import { at } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { openWire, type Wire } from '../support/proxy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until, within } from '../support/until.js'
import { countsOf, follow, makeLink, untilCounted, type MadeLink } from '../support/visitors.js'
import { VISITS, addVisits, columnsOf } from '../support/visits.js'

describe('visits in trouble', () => {
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

  const visitor = { address: '203.0.113.1', header: () => undefined }

  describe('behind a wire that breaks', () => {
    let wire: Wire
    let pool: PooledDatabase
    let visits: Visits
    const faults: unknown[] = []
    const countFaults: unknown[] = []
    let drops = 0
    before(async () => {
      wire = await openWire(service.db.service)
    })
    beforeEach(() => {
      faults.length = 0
      countFaults.length = 0
      drops = 0
      pool = openPool({ connection: wire.connection, size: 2, deadlineMs: 500 })
      visits = createVisits({
        database: pool,
        ...VISITS,
        onWriteChange: (fault) => faults.push(fault),
        onCountChange: (fault) => countFaults.push(fault),
        onDrop: () => (drops += 1),
        intervalMs: 20,
        countEveryMs: 20,
        retryMs: 50,
        most: 50,
      })
    })
    afterEach(async () => {
      wire.mend()
      await visits.stop()
      await pool.close()
    })
    after(() => wire.close())
    const note = (number: number) => {
      for (let i = 0; i < number; i += 1) visits.note(link.id, visitor)
    }

    it('keeps what it can while the database is away, says once that it drops, counts each once after', async () => {
      wire.cut()
      note(30)
      await until('it is noticed', () => faults.some((fault) => fault !== null))
      note(40)
      expect(visits.stats()).to.include({ waiting: 50, dropped: 20, counted: 0 })
      expect(drops).to.equal(1)
      wire.mend()
      await untilCounted(service, link, 50)
      await until('it is known', () => visits.stats().counted === 50)
      expect(await countsOf(service, link)).to.deep.equal({ visits: 50, bots: 0 })
      note(1)
      await untilCounted(service, link, 51)
    })

    for (const { what, blocks } of [
      { what: 'is taken', blocks: 'lock table visit_writers in exclusive mode' },
      { what: 'is counted', blocks: 'select pg_advisory_xact_lock(7274510)' },
    ]) {
      it(`counts a batch once, also where the answer was lost that it ${what}`, async () => {
        note(1)
        await untilCounted(service, link, 1)
        // the batch waits, its wire breaks, and then it commits
        const blocker = new Client(service.db.owner)
        await blocker.connect()
        await blocker.query(`begin; ${blocks}`)
        note(5)
        await lockWaiters(service.db.asOwner)
        wire.cut()
        await blocker.end()
        wire.mend()
        await until('it was sent again', () => visits.stats().counted === 6)
        expect(await countsOf(service, link)).to.deep.equal({ visits: 6, bots: 0 })
      })
    }

    it('sends a batch again that a deadlock ended', async () => {
      await service.db.asOwner(
        `create function end_by_deadlock() returns trigger language plpgsql as $$
         begin raise exception 'deadlock detected' using errcode = 'deadlock_detected'; end $$`,
      )
      await service.db.asOwner(
        `create trigger end_by_deadlock before insert on added_visits
           for each row execute function end_by_deadlock()`,
      )
      try {
        note(3)
        await until('it is noticed', () => faults.some((fault) => fault !== null))
      } finally {
        await service.db.asOwner('drop function end_by_deadlock cascade')
      }
      await untilCounted(service, link, 3)
      expect(visits.stats()).to.include({ dropped: 0 })
    })

    for (const [what, state, dropped] of [
      ['sends a batch again after an error that is not about its values', 'lock_not_available', 0],
      ['drops a batch with a value that cannot be stored, and no other', 'invalid_text_representation', 3],
    ] as const) {
      it(what, async () => {
        await service.db.asOwner(
          `create function fail() returns trigger language plpgsql as $$
           begin raise exception using errcode = '${state}'; end $$`,
        )
        await service.db.asOwner(
          'create trigger fail before insert on added_visits for each row execute function fail()',
        )
        try {
          note(3)
          await until('it is noticed', () => faults.some((fault) => fault !== null))
        } finally {
          await service.db.asOwner('drop function fail cascade')
        }
        note(1)
        await untilCounted(service, link, 4 - dropped)
        expect(visits.stats()).to.include({ dropped })
      })
    }

    it('knows of no end of an outage of counting while more visits are written', async () => {
      await service.db.asOwner(`alter table visit_values add constraint no_more check (link_id <> ${link.id})`)
      try {
        for (let failed = 1; failed <= 3; failed += 1) {
          note(1)
          await until('counting has failed again', () => countFaults.length >= failed)
        }
        expect(countFaults).to.not.include(null)
        expect(faults).to.include(null)
      } finally {
        await service.db.asOwner('alter table visit_values drop constraint no_more')
      }
      await untilCounted(service, link, 3)
      await until('it is known', () => countFaults.at(-1) === null)
      expect(faults.filter((fault) => fault !== null)).to.deep.equal([])
    })

    it('counts fewer at once where all that wait take too long', async () => {
      await service.db.asOwner(
        `create function be_slow() returns trigger language plpgsql as $$
         begin
           if (select count(*) from gone) > 4 then raise exception using errcode = 'query_canceled'; end if;
           return null;
         end $$`,
      )
      await service.db.asOwner(
        `create trigger be_slow after delete on added_visits referencing old table as gone
           for each statement execute function be_slow()`,
      )
      try {
        for (let batch = 1; batch <= 10; batch += 1)
          await service.db.asOwner('select add_visits($1, $2, null, $3, $4, $5, $6, $7)', [
            '00000000-0000-4000-8000-000000000009',
            batch,
            ...columnsOf([{ link: link.id, at: Date.now() }]),
          ])
        note(1)
        await until('all are counted', async () => (await countsOf(service, link)).visits === 11)
      } finally {
        await service.db.asOwner('drop function be_slow cascade')
      }
    })

    it('stops within a few seconds while the database says nothing, and counts what it had to drop', async () => {
      note(1)
      await until('it is known', () => visits.stats().counted === 1)
      wire.hold()
      note(3)
      await within('it stops', visits.stop())
      expect(visits.stats()).to.include({ waiting: 0, dropped: 3 })
    })
  })

  it('knows the visitors of before an outage, though the salt is asked for in vain during it', async () => {
    let isAway = false
    const failed: string[] = []
    const written: string[] = []
    const answer = ({ name = 'visit_day', values = [] }: Statement): QueryResultRow => {
      if (isAway || (name === 'add_visits' && failed.length === 0)) {
        isAway = true
        failed.push(name)
        throw databaseAway(new Error('the wire is cut'))
      }
      if (name === 'add_visits') written.push(String(values.at(-1)))
      return name === 'visit_day' ? { day: '2026-11-01', salt: Buffer.alloc(32), left_ms: 0 } : { taken: 0 }
    }
    const visits = createVisits({
      database: { run: async <Row extends QueryResultRow>(statement: Statement) => [answer(statement) as Row] },
      ...VISITS,
      intervalMs: 20,
      retryMs: 50,
    })
    visits.note('1', visitor)
    await until('it was not written', () => failed.includes('add_visits'))
    visits.note('1', visitor)
    await until('the salt was asked for in vain', () => failed.includes('visit_day'))
    isAway = false
    await until('both are written', () => written.length === 2)
    await visits.stop()
    expect(written[0]).to.match(/^\{\d+\}$/)
    expect(written[1]).to.equal('{null}')
  })

  it('counts a batch once that comes twice, and one of two processes at once', async () => {
    const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    const add = (writer: string, number: number) =>
      addVisits(service.db, [{ link: link.id, at: Date.now(), single: true }], { writer, number, day: 'null' })
    await Promise.all([add(one, 1), add(one, 1), add(other, 1), add(one, 1), add(other, 1)])
    await add(one, 2)
    await add(one, 1)
    expect(await countsOf(service, link)).to.deep.equal({ visits: 3, bots: 0 })
    expect(
      await service.db.asOwner('select sum(cardinality(moments))::int as n from visits where link_id = $1', [link.id]),
    ).to.deep.equal([{ n: 3 }])
  })

  it('keeps nothing of a batch that cannot be taken, and nothing of one that cannot be counted', async () => {
    const taken = async () =>
      (await service.db.asOwner<{ n: number }>('select count(*)::int as n from added_visits'))[0]?.n
    const wrong = [{ link: link.id, at: Date.now(), bot: true }]
    const failed = await service.db
      .asOwner('select add_visits($1, 1, null, $2, $3, $4, $5, $6)', [
        '00000000-0000-4000-8000-000000000003',
        '[{"bot": "perhaps"}]',
        ...columnsOf(wrong).slice(1),
      ])
      .catch((error: unknown) => error)
    expect(failed).to.be.an('error')
    expect(await taken()).to.equal(0)

    await service.db.asOwner('alter table visit_values add constraint no_more check (link_id <> ' + link.id + ')')
    try {
      const uncounted = await addVisits(service.db, wrong, { day: 'null' }).catch((error: unknown) => error)
      expect(uncounted).to.be.an('error')
      expect(await taken()).to.equal(1)
      expect(await countsOf(service, link)).to.deep.equal({ visits: 0, bots: 0 })
    } finally {
      await service.db.asOwner('alter table visit_values drop constraint no_more')
    }
    await service.db.asOwner('select count_visits()')
    expect(await countsOf(service, link)).to.deep.equal({ visits: 0, bots: 1 })
  })

  it('a stop loses no visit', async () => {
    const other = await startTestService({ db: service.db })
    await Promise.all(Array.from({ length: 40 }, () => follow(other, link)))
    await other.stop()
    expect(await countsOf(service, link)).to.deep.equal({ visits: 40, bots: 0 })
  })

  it('two services count together', async () => {
    const other = await startTestService({ db: service.db })
    try {
      await Promise.all(Array.from({ length: 60 }, (_, i) => follow(i % 2 === 0 ? service : other, link)))
      await untilCounted(service, link, 60)
      expect(await countsOf(service, link)).to.deep.equal({ visits: 60, bots: 0 })
      const [first] = await service.db.asOwner('select sum(visitors)::int as n from visit_hours where link_id = $1', [
        link.id,
      ])
      expect(first).to.deep.equal({ n: 1 })
    } finally {
      await other.stop()
    }
  })

  it('with VISITS=off nothing is counted, and statistics say so', async () => {
    const off = await startTestService({ db: service.db, environment: { VISITS: 'off' } })
    const admin = await service.addUser('admin')
    const counting = async (asked: TestService, path: string) => {
      const { json } = await asked.request('GET', path, { token: await asked.tokenFor(admin) })
      return at(json, 'counting')
    }
    try {
      expect((await follow(off, link)).status).to.equal(302)
      for (const path of [`/links/${link.code}/visits`, '/visits']) {
        expect(await counting(off, path)).to.equal(false)
        expect(await counting(service, path)).to.equal(true)
      }
    } finally {
      await off.stop()
    }
    expect(await countsOf(service, link)).to.deep.equal({ visits: 0, bots: 0 })
  })
})
