import { setTimeout } from 'node:timers/promises'

import { expect } from 'chai'
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check'
import { Client, types } from 'pg'

import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { Deadline } from '../../src/domain/deadline.js'
import { Refusal } from '../../src/domain/refusal.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { urlOf } from '../support/node.js'
import { openWire, type Wire } from '../support/proxy.js'
import { addUserWithId, DECIDED } from '../support/records.js'
import { until } from '../support/until.js'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )

const expectAway = (error: unknown): void => {
  expect(error).to.be.instanceOf(Refusal)
  expect(error).to.include({ code: 'database_unavailable', status: 503 })
}

describe('the pool', () => {
  let db: TestDatabase
  let wire: Wire
  let pool: Database

  const insert = (code: string) => ({
    text: `insert into links (code, target, owner_id) values ($1, 'https://example.com/', 1)`,
    values: [code],
  })
  const ENTER = { text: 'select enter($1, $2)', values: ['links_own', '1'] } as const
  const whoAmI = () =>
    pool.run<{ role: string; id: string | null; decision: string | null; status: string }>({
      text: `select current_user as role, nullif(current_setting('app.user_id', true), '') as id,
                    nullif(current_setting('app.decision', true), '') as decision`,
    })
  const codes = async () =>
    (await db.asOwner<{ code: string }>('select code from links order by code')).map(({ code }) => code)

  before(async () => {
    db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    wire = await openWire(db.service)
  })
  after(() => wire.close())
  // one connection: what a request leaves behind meets the next one
  beforeEach(async () => {
    await db.asOwner('truncate links')
    pool = openPool({ connection: wire.connection, size: 1, deadlineMs: 500 })
  })
  afterEach(async () => {
    wire.mend()
    await pool.close()
  })

  it('answers a result for each statement of a flush, in order', async () => {
    const results = await pool.flush([
      { text: 'select 1 as a' },
      { text: 'select $1::text as b', values: ['two'] },
      { text: 'select 3 as c' },
    ])
    expect(results.map(({ rows: [row] }) => row)).to.deep.equal([{ a: 1 }, { b: 'two' }, { c: 3 }])
  })

  it('keeps statements by name for the connection, also where one is sent twice before the server has it', async () => {
    const named = (value: string) => ({ name: 'kept', text: 'select $1::text as value', values: [value] })
    for (const values of [['a', 'b'], ['c'], ['d', 'e']]) {
      expect((await pool.flush(values.map(named))).map(({ rows }) => rows)).to.deep.equal(
        values.map((value) => [{ value }]),
      )
    }
    expect(
      await pool.run<{ n: string }>({ text: `select count(*) as n from pg_prepared_statements where name = 'kept'` }),
    ).to.deep.equal([{ n: '1' }])
  })

  it('prepares a named statement again after it failed; deallocated or changed, it fails nobody', async () => {
    const named = { name: 'brittle', text: 'select * from brittle' }
    expect(await failureOf(pool.run(named))).to.have.property('code', '42P01')
    await db.asOwner('create table brittle as select 1 as a')
    await db.asOwner('grant select on brittle to public')
    expect(await pool.run(named)).to.deep.equal([{ a: 1 }])
    await pool.run({ text: 'deallocate all' })
    expect(await pool.run(named)).to.deep.equal([{ a: 1 }])
    await db.asOwner('alter table brittle add column b int default 2')
    expect(await pool.run(named)).to.deep.equal([{ a: 1, b: 2 }])
    await db.asOwner('alter table brittle drop column b')
    const [, found] = await pool.flush([{ text: 'select 1' }, named], new Deadline(performance.now() + 500))
    expect(found?.rows, 'in a flush with a deadline').to.deep.equal([{ a: 1 }])
    await db.asOwner('drop table brittle')
  })

  it('prepares it again for a flush that has it twice', async () => {
    const named = (value: string) => ({ name: 'ratio', text: 'select 6 / $1::int as ratio', values: [value] })
    expect(await failureOf(pool.flush(['0', '1'].map(named)))).to.have.property('code', '22012')
    for (const values of [
      ['1', '2'],
      ['2', '3'],
    ])
      expect((await pool.flush(values.map(named))).map(({ rows }) => rows)).to.deep.equal(
        values.map((value) => [{ ratio: 6 / Number(value) }]),
      )
  })

  it('never sends one text under the name of another', async () => {
    await pool.run({ name: 'taken', text: 'select 1 as one' })
    const before = wire.sent()
    expect(await failureOf(pool.flush([ENTER, { name: 'taken', text: 'select 2 as two' }])))
      .to.have.property('message')
      .that.includes('another text')
    expect(wire.sent()).to.equal(before)
    expect(await pool.run({ name: 'taken', text: 'select 1 as one' })).to.deep.equal([{ one: 1 }])
    expect(
      await failureOf(
        pool.flush([
          { name: 'new', text: 'select 1' },
          { name: 'new', text: 'select 2' },
        ]),
      ),
    )
      .to.have.property('message')
      .that.includes('another text')
    expect(await pool.flush([{ name: 'new', text: 'select 2' }])).to.have.length(1)
  })

  it('tells of an answer that cannot be read, and asks the next question on the same connection', async () => {
    const MONEY = 790
    const asked = { text: `select '1'::money as m, pg_backend_pid() as pid from generate_series(1, 3)` }
    const before = await pool.run<{ pid: number }>(asked)
    types.setTypeParser(MONEY, () => {
      throw new RangeError('unreadable')
    })
    try {
      const failures = await Promise.all([failureOf(pool.run(asked)), pool.run({ text: 'select 1 as one' })])
      expect(failures).to.deep.equal([failures[0], [{ one: 1 }]])
      expect(failures[0]).to.be.instanceOf(RangeError)
    } finally {
      types.setTypeParser(MONEY, String)
    }
    expect(await pool.run<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })).to.deep.equal([
      { pid: before[0]?.pid },
    ])
  })

  it('sends arrays of texts and numbers as they are', async () => {
    await assert(
      asyncProperty(
        array(
          oneof(
            string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
            constantFrom(null, 'null', 'NULL', '', '"', '\\', '{}', ',', ' a '),
          ),
        ),
        async (texts) => {
          expect(await pool.run({ text: 'select to_json($1::text[]) as texts', values: [texts] })).to.deep.equal([
            { texts },
          ])
        },
      ),
    )
    expect(await pool.run({ text: 'select to_json($1::bigint[]) as numbers', values: [[1, null, -5]] })).to.deep.equal([
      { numbers: [1, null, -5] },
    ])
    for (const value of [[[1]], [{}], [undefined], [Buffer.from('a')]])
      expect(await failureOf(pool.run({ text: 'select $1::text[]', values: [value] }))).to.be.instanceOf(TypeError)
  })

  it('sends nothing at all of a flush with a statement that cannot be sent', async () => {
    await pool.run({ text: 'select 1' })
    const before = wire.sent()
    for (const value of [{ an: 'object' }, undefined, Symbol('x'), () => 1, Number]) {
      expect(
        await failureOf(pool.flush([ENTER, DECIDED, insert('kept'), { text: 'select $1', values: [value] }])),
      ).to.be.instanceOf(TypeError)
    }
    expect(wire.sent()).to.equal(before)
    expect(await codes()).to.deep.equal([])
  })

  it('keeps nothing of a flush in which a statement fails, wherever it stands', async () => {
    for (const broken of [
      { text: 'select 1 / 0' },
      { text: 'no sql' },
      insert('one'),
      { text: 'select $1::int', values: ['no number'] },
    ]) {
      const failed = await failureOf(pool.flush([ENTER, DECIDED, insert('one'), broken, insert('two')]))
      expect(failed).to.have.property('code').that.does.not.equal('25P02')
      expect(await codes()).to.deep.equal([])
    }
  })

  it('takes a commit that rolled back for the failure that it is', async () => {
    const failed = await failureOf(
      pool.transaction(async (client) => {
        await client.query('select 1 / 0').catch(() => undefined)
      }),
    )
    expect(failed).to.have.property('message').that.includes('rolled back')
    // a deferred constraint fails in the commit itself
    await db.asOwner('create table if not exists deferred (id int unique deferrable initially deferred)')
    await db.asOwner('grant insert on deferred to links_own')
    expect(
      await failureOf(
        pool.flush([ENTER, { text: 'insert into deferred values (1)' }, { text: 'insert into deferred values (1)' }]),
      ),
    ).to.have.property('code', '23505')
    expect(await db.asOwner('select from deferred')).to.have.length(0)
    await db.asOwner('drop table deferred')
  })

  it('leaves neither role nor settings to the next request, whether the flush succeeded or failed', async () => {
    await pool.flush([ENTER, DECIDED])
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
    await failureOf(pool.flush([ENTER, DECIDED, { text: 'select 1 / 0' }]))
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
    await failureOf(
      pool.transaction(async (client) => {
        await client.query(ENTER.text, [...ENTER.values])
        throw new Error('given up')
      }),
    )
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
  })

  it('holds no lock for a process that stops in the middle of a transaction', async () => {
    const stopped = pool.transaction(
      async (client) => {
        await client.query('select pg_advisory_xact_lock(4711)')
        // nothing is sent any more
        await new Promise((resolve) => client.once('end', resolve))
        throw new Error('the connection ended')
      },
      new Deadline(performance.now() + 200),
    )
    await failureOf(stopped)
    expect(await db.asOwner('select pg_try_advisory_lock(4711) as free')).to.deep.equal([{ free: true }])
    const text = `select current_setting('idle_in_transaction_session_timeout') as timeout`
    const found = await pool.transaction(async (client) => (await client.query<{ timeout: string }>(text)).rows)
    expect(found, 'without a deadline').to.deep.equal([{ timeout: '1min' }])
  })

  it('limits a statement without a deadline on the server as well, where a pooler takes no options', async () => {
    const pooled = openPool({ connection: wire.connection, size: 1, deadlineMs: 500, pooled: true })
    try {
      const text = `select current_setting('statement_timeout') as timeout`
      expect(await pooled.run({ text })).to.deep.equal([{ timeout: '500ms' }])
      expect(await pooled.lookUp({ text })).to.deep.equal([{ timeout: '500ms' }])
      expect((await pooled.flush([{ text }]))[0]?.rows).to.deep.equal([{ timeout: '500ms' }])
    } finally {
      await pooled.close()
    }
  })

  it('does not use a connection again that was left inside a transaction', async () => {
    const pid = async () => (await pool.run<{ pid: number }>({ text: 'select pg_backend_pid() as pid' }))[0]?.pid
    const before = await pid()
    expect(await pid()).to.equal(before)
    // a begin of one's own: nothing in the program does it, and if something did, the connection would be thrown away
    await pool.run({ text: 'begin' })
    const after = await pid()
    expect(after).to.not.equal(before)
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
  })

  it('is database_unavailable while the database is away, and works again as soon as it is back', async () => {
    await pool.run({ text: 'select 1' })
    wire.cut()
    expectAway(await failureOf(pool.run({ text: 'select 1' })))
    expectAway(await failureOf(pool.flush([ENTER, DECIDED, insert('lost')])))
    expectAway(await failureOf(pool.transaction(async (client) => client.query('select 1'))))
    wire.mend()
    expect(await pool.run({ text: 'select 1 as one' })).to.deep.equal([{ one: 1 }])
    expect(await codes()).to.deep.equal([])
  })

  it('is database_unavailable where the server takes no connections, whatever its reason', async () => {
    for (const wrong of [{ password: 'wrong' }, { database: 'there_is_none' }]) {
      const other = openPool({ connection: { ...db.service, ...wrong }, size: 1, deadlineMs: 500 })
      expectAway(await failureOf(other.run({ text: 'select 1' })))
      await other.close()
    }
  })

  it('is database_unavailable where a file that the URL names is missing', async () => {
    const connectionString = `${urlOf(db.service)}&sslmode=disable&sslrootcert=/absent`
    const other = openPool({ connection: { connectionString }, size: 1, deadlineMs: 500 })
    expectAway(await failureOf(other.run({ text: 'select 1' })))
    await other.close()
  })

  it('gives up a question after the deadline, and the connection with it', async () => {
    expectAway(await failureOf(pool.run({ text: 'select pg_sleep(60)' })))
    expectAway(await failureOf(pool.flush([ENTER, { text: 'select pg_sleep(60)' }])))
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
  })

  it('gives up on a server that stopped answering, commits nothing late, and recovers with it', async () => {
    await pool.run({ text: 'select 1' })
    wire.hold()
    expectAway(await failureOf(pool.flush([ENTER, DECIDED, insert('late')])))
    wire.mend()
    expect(await whoAmI()).to.deep.equal([{ role: 'linkgate_service', id: null, decision: null }])
    expect(await codes()).to.deep.equal([])
  })

  /** Sets the server's clock, as the deadlines see it. */
  const setClock = (aheadMs: number) =>
    db.asOwner(`create or replace function clock_ms() returns bigint language sql volatile as $$
      select (extract(epoch from clock_timestamp()) * 1000)::bigint + (${aheadMs}) $$`)

  /** Expects that a transaction commits nothing if this happens before its commit. */
  const expectLate = async (beforeCommit: (deadline: Deadline) => unknown) => {
    const patient = openPool({ connection: wire.connection, size: 1, deadlineMs: 10_000 })
    try {
      await patient.run({ text: 'select 1' })
      const deadline = new Deadline(performance.now() + 300)
      const failed = await failureOf(
        patient.transaction(async (client) => {
          for (const { text, values } of [ENTER, DECIDED, insert('late')]) await client.query(text, [...(values ?? [])])
          await beforeCommit(deadline)
        }, deadline),
      )
      expect(failed).to.include({ code: 'deadline_exceeded', status: 503 })
      expect(await codes()).to.deep.equal([])
    } finally {
      wire.mend()
      await setClock(0)
      await patient.close()
    }
  }

  it('commits no transaction whose commit reaches the server after the deadline', () =>
    expectLate(() => wire.delay(400)))

  it('sends no commit after the deadline, whatever the time is on the server by then', () =>
    expectLate(async (deadline) => {
      await setClock(-900)
      while (deadline.left() > 0);
    }))

  for (const ago of [900, 3_600_000])
    it(`commits nothing after the deadline where the server's clock was set back by ${ago} ms`, async () => {
      const patient = openPool({ connection: wire.connection, size: 1, deadlineMs: 10_000 })
      const holder = new Client(db.owner)
      await holder.connect()
      const change = (code: string, ms: number) =>
        patient.flush([ENTER, DECIDED, insert(code)], new Deadline(performance.now() + ms))
      try {
        await change('before', 5_000)
        await setClock(-ago)
        await holder.query('begin')
        await holder.query('lock table links in share mode')
        const late = failureOf(change('late', 300))
        await setTimeout(600)
        await holder.query('commit')
        expect(await late).to.include({ code: 'deadline_exceeded', status: 503 })
        await change('later', 5_000)
        expect(await codes()).to.deep.equal(['before', 'later'])
      } finally {
        await setClock(0)
        await holder.end()
        await patient.close()
      }
    })

  it('goes on with a connection that knows the time where the server’s clock was set forward', async () => {
    const one = openPool({ connection: wire.connection, size: 1, deadlineMs: 10_000 })
    const change = (code: string) =>
      one.flush(
        [ENTER, DECIDED, { text: 'select pg_sleep(0.02)' }, insert(code)],
        new Deadline(performance.now() + 5_000),
      )
    try {
      await change('before')
      await setClock(60_000)
      expect(await failureOf(change('late'))).to.include({ code: 'deadline_exceeded', status: 503 })
      await change('later')
      expect(await codes()).to.deep.equal(['before', 'later'])
    } finally {
      await setClock(0)
      await one.close()
    }
  })

  it('is database_unavailable to who waits longer than the deadline for a connection', async () => {
    const slow = failureOf(pool.run({ text: 'select pg_sleep(5)' }))
    expectAway(await failureOf(pool.run({ text: 'select 1' })))
    expectAway(await slow)
  })

  it('survives the end of its backend, idle or busy', async () => {
    const [backend] = await pool.run<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
    await db.asOwner('select pg_terminate_backend($1)', [backend?.pid])
    // the pool hears of it a moment later: until then a question may still meet the dead connection
    const first = await pool.run({ text: 'select 1 as one' }).catch((error: unknown) => expectAway(error))
    expect(first ?? [{ one: 1 }]).to.deep.equal([{ one: 1 }])
    const busy = failureOf(pool.flush([ENTER, DECIDED, insert('unacknowledged'), { text: 'select pg_sleep(5)' }]))
    const kill = async (): Promise<number> =>
      (
        await db.asOwner(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query = 'select pg_sleep(5)'`,
        )
      ).length
    await until('the backend is ended', async () => (await kill()) > 0)
    expectAway(await busy)
    expect(await codes()).to.deep.equal([])
    expect(await pool.run({ text: 'select 1 as one' })).to.deep.equal([{ one: 1 }])
  })
})
