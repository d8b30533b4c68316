import { text } from 'node:stream/consumers'

import { expect } from 'chai'

import { openPool, type PooledDatabase } from '../../src/database/pool.js'
import { Refusal } from '../../src/domain/refusal.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { urlOf } from '../support/node.js'
import { openWire, type Wire } from '../support/proxy.js'
import { addLink, addUserWithId } from '../support/records.js'
import { until } from '../support/until.js'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )

/** What a loaded machine needs for a part. */
const DEADLINE_MS = 5_000
/** Where it has to be missed, or waited for. */
const SHORT_MS = 1_000

describe('a long read', () => {
  let db: TestDatabase
  let wire: Wire
  let pool: PooledDatabase

  const readerOf = (id: string) => ({ id, enter: { text: 'select enter($1, $2)', values: ['links_own', id] } })
  const ENTER = readerOf('1')
  const NUMBERS = 'copy (select n from generate_series(1, 1000000) n) to stdout'
  /** A hundred times what sockets hold on their own. */
  const MUCH = `copy (select repeat('x', 999) from generate_series(1, 100000)) to stdout`
  const SLEEP = 'copy (select pg_sleep(60)) to stdout'
  const rowsOf = async <Row>(read: AsyncGenerator<readonly Row[]>): Promise<readonly Row[]> => {
    const all: Row[] = []
    for await (const rows of read) all.push(...rows)
    return all
  }
  /** The sessions of the service's role that have a transaction. */
  const reading = async () =>
    (
      await db.asOwner(
        'select from pg_stat_activity where usename = $1 and datname = current_database() and xact_start is not null',
        [db.service.user],
      )
    ).length
  /** Waits until the server has heard that a reader left. */
  const noneReads = () => until('no session of the service has a transaction', async () => (await reading()) === 0)

  before(async () => {
    db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    await addUserWithId(db, '2', 'editor')
    for (const [owner, code] of [
      ['1', 'first'],
      ['2', 'of-another'],
      ['1', 'second'],
    ] as const)
      await addLink(db, { owner, code })
    wire = await openWire(db.service)
  })
  after(() => wire.close())
  beforeEach(() => {
    pool = openPool({ connection: wire.connection, size: 1, deadlineMs: DEADLINE_MS })
  })
  afterEach(async () => {
    wire.mend()
    await pool.close()
  })

  it('reads every row once, in order, as its caller', async () => {
    expect(await rowsOf(pool.stream(ENTER, { text: 'select n from generate_series(1, 25) n' }, 10))).to.deep.equal(
      Array.from({ length: 25 }, (_, i) => ({ n: i + 1 })),
    )
    expect(
      await rowsOf(
        pool.stream(ENTER, { text: 'select code from links where code <> $1 order by code', values: ['x'] }, 10),
      ),
    ).to.deep.equal([{ code: 'first' }, { code: 'second' }])
    expect(await text(pool.copy(ENTER, NUMBERS))).to.equal(
      Array.from({ length: 1_000_000 }, (_, i) => `${i + 1}\n`).join(''),
    )
    expect(await text(pool.copy(ENTER, 'copy (select code from links order by code) to stdout'))).to.equal(
      'first\nsecond\n',
    )
    expect(await text(pool.copy(ENTER, 'copy (select where false) to stdout'))).to.equal('')
  })

  it('changes nothing, whatever it asks', async () => {
    expect(
      await rowsOf(pool.stream(ENTER, { text: `select current_setting('transaction_read_only') as only` }, 1)),
    ).to.deep.equal([{ only: 'on' }])
    expect(
      await failureOf(pool.copy(ENTER, `copy (delete from links returning code) to stdout`).next()),
    ).to.have.property('code', '25006')
    expect(await text(pool.copy(ENTER, 'copy (select count(*) from links) to stdout'))).to.equal('2\n')
  })

  it('asks of a COPY for the plan that begins soon, and of a cursor for none in particular', async () => {
    const sorts = `select current_setting('enable_sort') as sorts`
    expect(await text(pool.copy(ENTER, `copy (${sorts}) to stdout`))).to.equal('off\n')
    expect(await rowsOf(pool.stream(ENTER, { text: sorts }, 1))).to.deep.equal([{ sorts: 'on' }])
  })

  it('takes no connection of the pool: its own ends with the last row, and when its reader leaves', async () => {
    const sessions = async () =>
      (
        await pool.run<{ n: number }>({
          text: 'select count(*)::int as n from pg_stat_activity where usename = session_user',
        })
      )[0]?.n
    const alone = await sessions()
    const leaving = pool.copy(ENTER, NUMBERS)
    await leaving.next()
    expect(await sessions()).to.equal((alone ?? 0) + 1)
    await leaving.return(undefined)
    await noneReads()
    for await (const rows of pool.stream(ENTER, { text: 'select generate_series(1, 1000) as n' }, 10)) {
      expect(rows).to.have.length(10)
      break
    }
    await noneReads()
    const unread = [pool.stream(ENTER, { text: 'select 1' }, 10), pool.copy(ENTER, NUMBERS)]
    for (const each of unread) await each.return(undefined)
    expect(await text(pool.copy(ENTER, 'copy (select 1) to stdout'))).to.equal('1\n')
    await until('the sessions of both reads ended', async () => (await sessions()) === alone)
  })

  it('is one for each reader while others wait: who has several gives up the newest, the first goes on', async () => {
    const [first, second] = [pool.copy(ENTER, NUMBERS), pool.copy(ENTER, NUMBERS)]
    const { value: head } = await first.next()
    await second.next()
    const other = () => pool.copy(readerOf('2'), 'copy (select 1) to stdout')
    for (const refused of [pool.copy(ENTER, NUMBERS), other()]) {
      const refusal = await failureOf(refused.next())
      expect(refusal).to.include({ code: 'exports_busy', status: 503 })
      expect(refusal).to.have.nested.property('headers.Retry-After', '3')
    }
    // as long as it was told to wait
    const served = await until('another reader is served', () => text(other()).catch(() => false))
    expect(served).to.equal('1\n')
    expect(await failureOf(text(second)))
      .to.have.property('message')
      .that.includes('cut off')
    expect(String(head) + (await text(first))).to.have.length(6_888_896)
    expect(await rowsOf(pool.stream(ENTER, { text: 'select 1 as one' }, 1))).to.deep.equal([{ one: 1 }])
  })

  it('is no second one while somebody waits, so who gives one up and asks at once does not get it back', async () => {
    const [first, second] = [pool.copy(ENTER, NUMBERS), pool.copy(ENTER, NUMBERS)]
    await Promise.all([first.next(), second.next()])
    const other = pool.copy(readerOf('2'), 'copy (select 1) to stdout')
    expect(await failureOf(other.next())).to.include({ code: 'exports_busy' })
    await second.return(undefined)
    expect(await failureOf(pool.copy(ENTER, NUMBERS).next())).to.include({ code: 'exports_busy' })
    expect(await text(pool.copy(readerOf('2'), 'copy (select 1) to stdout'))).to.equal('1\n')
    const again = pool.copy(ENTER, NUMBERS)
    expect(await again.next()).to.include({ done: false })
    for (const read of [first, again]) await read.return(undefined)
  })

  it('is there for one reader twice where nobody else wants one', async () => {
    const reads = [pool.copy(ENTER, NUMBERS), pool.stream(ENTER, { text: 'select 1' }, 1)]
    for (const read of reads) expect(await read.next()).to.include({ done: false })
    for (const read of reads) await read.return(undefined)
  })

  it('is refused where as many are under way as may be, and taken again afterwards', async () => {
    const [one, two] = [pool.copy(readerOf('1'), NUMBERS), pool.copy(readerOf('2'), NUMBERS)]
    await Promise.all([one.next(), two.next()])
    expect(await failureOf(pool.copy(readerOf('3'), NUMBERS).next())).to.include({ code: 'exports_busy', status: 503 })
    await one.return(undefined)
    expect(await text(pool.copy(readerOf('3'), 'copy (select 1) to stdout'))).to.equal('1\n')
    await two.return(undefined)
  })

  it('fails with what the server says, also in its middle, and is over then', async () => {
    const seen: Buffer[] = []
    const failing = async () => {
      for await (const piece of pool.copy(
        ENTER,
        'copy (select 1 / (500000 - n) from generate_series(1, 1000000) n) to stdout',
      ))
        seen.push(piece)
    }
    expect(await failureOf(failing())).to.have.property('code', '22012')
    expect(seen).to.not.have.length(0)
    expect(await failureOf(pool.copy(ENTER, 'copy (select nothing) to stdout').next())).to.have.property(
      'code',
      '42703',
    )
    expect(await failureOf(pool.stream(ENTER, { text: 'select 1 / 0' }, 1).next())).to.have.property('code', '22012')
    expect(await text(pool.copy(ENTER, 'copy (select 1) to stdout'))).to.equal('1\n')
  })

  it('waits for its reader for as long as they take, whatever time a statement is given', async () => {
    const hasty = openPool({
      connection: { ...db.service, options: '-c statement_timeout=300 -c idle_in_transaction_session_timeout=300' },
      size: 1,
      deadlineMs: SHORT_MS,
    })
    const slow = hasty.copy(ENTER, MUCH)
    let bytes = (await slow.next()).value?.length ?? 0
    await db.asOwner('select pg_sleep($1)', [(SHORT_MS * 1.5) / 1_000])
    expect(await reading()).to.equal(1)
    for await (const piece of slow) bytes += piece.length
    expect(bytes).to.equal(100_000_000)
    const rows = hasty.stream(ENTER, { text: 'select generate_series(1, 30) as n' }, 10)
    await rows.next()
    await db.asOwner('select pg_sleep($1)', [(SHORT_MS * 1.5) / 1_000])
    expect(await rowsOf(rows)).to.have.length(20)
    await hasty.close()
  })

  it('ends with the pool', async () => {
    const own = openPool({ connection: wire.connection, size: 1, deadlineMs: DEADLINE_MS })
    const read = own.copy(ENTER, MUCH)
    await read.next()
    await own.close()
    expect(await failureOf(text(read))).to.include({ code: 'database_unavailable' })
    await noneReads()
  })

  describe('is database_unavailable', () => {
    beforeEach(async () => {
      await pool.close()
      pool = openPool({ connection: wire.connection, size: 1, deadlineMs: SHORT_MS })
    })
    const expectAway = (error: unknown): void => {
      expect(error).to.be.instanceOf(Refusal)
      expect(error).to.include({ code: 'database_unavailable', status: 503 })
    }

    it('where a file that the URL names is missing', async () => {
      const connectionString = `${urlOf(db.service)}&sslmode=disable&sslrootcert=/absent`
      const other = openPool({ connection: { connectionString }, size: 1, deadlineMs: SHORT_MS })
      expectAway(await failureOf(other.copy(ENTER, 'copy (select 1) to stdout').next()))
      await other.close()
    })

    it('where the server says nothing for as long as the deadline, and the server hears of it', async () => {
      expectAway(await failureOf(pool.copy(ENTER, SLEEP).next()))
      expectAway(await failureOf(pool.stream(ENTER, { text: 'select pg_sleep(60)' }, 1).next()))
      await noneReads()
    })

    it('while the database is away', async () => {
      wire.cut()
      expectAway(await failureOf(pool.stream(ENTER, { text: 'select 1' }, 1).next()))
      expectAway(await failureOf(pool.copy(ENTER, NUMBERS).next()))
      wire.mend()
      expect(await text(pool.copy(ENTER, 'copy (select 1) to stdout'))).to.equal('1\n')
    })

    it('where the connection is cut or stops in its middle', async () => {
      for (const trouble of [() => wire.cut(), () => wire.hold()]) {
        const read = pool.copy(ENTER, MUCH)
        await read.next()
        trouble()
        expectAway(await failureOf(text(read)))
        wire.mend()
      }
      expect(await text(pool.copy(ENTER, 'copy (select 1) to stdout'))).to.equal('1\n')
    })

    it('where its backend is ended', async () => {
      const read = pool.copy(ENTER, MUCH)
      await read.next()
      await db.asOwner(
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and xact_start is not null',
        [db.service.user],
      )
      expectAway(await failureOf(text(read)))
    })
  })
})
