import { expect } from 'chai'

import { openPool } from '../../src/database/pool.js'
import type { PooledDatabase } from '../../src/database/pool.js'
import { createVisits } from '../../src/visits/visits.js'
import type { Visits } from '../../src/visits/visits.js'
import { openWire } from '../support/proxy.js'
import type { Wire } from '../support/proxy.js'
import { startTestService } from '../support/service.js'
import type { TestService, TestUser } from '../support/service.js'
import { until, within } from '../support/until.js'
import { countsOf, follow, makeLink, untilCounted } from '../support/visitors.js'
import type { MadeLink } from '../support/visitors.js'

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
    let drops = 0
    before(async () => {
      wire = await openWire(service.db.service)
    })
    beforeEach(() => {
      faults.length = 0
      drops = 0
      pool = openPool({ connection: wire.connection, size: 2, deadlineMs: 500 })
      visits = createVisits({
        database: pool,
        ownHost: 'lnk.example',
        countryOf: () => null,
        keepsSingle: true,
        onChange: (fault) => faults.push(fault),
        onDrop: () => (drops += 1),
        intervalMs: 20,
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
      expect(visits.stats()).to.include({ waiting: 50, dropped: 20, written: 0 })
      expect(drops).to.equal(1)
      wire.mend()
      await untilCounted(service, link, 50)
      await until('it is known', () => visits.stats().written === 50)
      expect(await countsOf(service, link)).to.deep.equal({ visits: 50, bots: 0 })
      note(1)
      await untilCounted(service, link, 51)
    })

    it('counts a batch once whose answer was lost', async () => {
      note(1)
      await untilCounted(service, link, 1)
      const { asOwner } = service.db
      // the batch waits for the lock, its wire breaks, and then it commits
      const lock = service.db.asOwner(`select pg_advisory_lock(7274510)`)
      await lock
      note(5)
      await until('the batch waits', async () => {
        const [row] = await asOwner(
          `select count(*)::int as n from pg_locks where not granted and locktype = 'advisory'`,
        )
        return Number(row?.['n']) > 0
      })
      wire.cut()
      await asOwner('select pg_advisory_unlock_all()')
      wire.mend()
      await until('it was sent again', () => visits.stats().written === 6)
      expect(await countsOf(service, link)).to.deep.equal({ visits: 6, bots: 0 })
    })

    it('stops within a few seconds while the database says nothing, and counts what it had to drop', async () => {
      note(1)
      await untilCounted(service, link, 1)
      wire.hold()
      note(3)
      await within('it stops', visits.stop())
      expect(visits.stats()).to.include({ waiting: 0, dropped: 3 })
    })
  })

  it('counts a batch once that comes twice, and one of two processes at once', async () => {
    const add = (writer: string, batch: number) =>
      service.db.asOwner('select add_visits($1, $2, null, $3)', [
        writer,
        batch,
        JSON.stringify([{ link: link.id, age: 5, bot: false, single: true }]),
      ])
    const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    await Promise.all([add(one, 1), add(one, 1), add(other, 1), add(one, 1), add(other, 1)])
    await add(one, 2)
    await add(one, 1)
    expect(await countsOf(service, link)).to.deep.equal({ visits: 3, bots: 0 })
    expect(
      await service.db.asOwner('select count(*)::int as n from visits where link_id = $1', [link.id]),
    ).to.deep.equal([{ n: 3 }])
  })

  it('keeps nothing of a batch that fails in the middle', async () => {
    await service.db.asOwner('select visit_day()')
    const rows = JSON.stringify([{ link: link.id, age: 5, bot: false, single: true, visitor: 'not hexadecimal' }])
    const failed = await service.db
      .asOwner(`select add_visits(gen_random_uuid(), 1, (select day from visit_salt), $1)`, [rows])
      .catch((error: unknown) => error)
    expect(failed).to.be.an('error')
    expect(await countsOf(service, link)).to.deep.equal({ visits: 0, bots: 0 })
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

  it('with VISITS=off nothing is counted', async () => {
    const off = await startTestService({ db: service.db, environment: { VISITS: 'off' } })
    try {
      expect((await follow(off, link)).status).to.equal(302)
    } finally {
      await off.stop()
    }
    expect(await countsOf(service, link)).to.deep.equal({ visits: 0, bots: 0 })
  })
})
