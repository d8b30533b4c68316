import { appendFile, cp, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { expect } from 'chai'
import { Client, type ClientConfig } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { migrate, migrationStatus } from '../../src/database/migrate.js'
import { StartError } from '../../src/domain/start-error.js'
import { ADVISORY_LOCKS } from '../../src/database/advisory-locks.js'
import { withPool, type AskDatabase } from '../support/bare-database.js'
import { cluster, createDatabase } from '../support/cluster.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const SHIPPED = new URL('migrations/', PACKAGE_ROOT)

/** A copy of the migrations that a test may change. */
const copied = async (): Promise<URL> => {
  const folder = pathToFileURL(`${await makeTemporaryFolder()}/`)
  await cp(SHIPPED, folder, { recursive: true })
  return folder
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('migrating', () => {
  let owner: ClientConfig
  let run: (folder: URL, as?: ClientConfig) => Promise<readonly string[]>
  let ask: AskDatabase
  const pending = async (folder: URL) =>
    (await migrationStatus({ owner, folder })).filter(({ applied }) => !applied).map(({ name }) => name)

  beforeEach(async () => {
    owner = (await createDatabase()).owner
    ask = withPool(owner)
    const { service } = await cluster()
    run = (folder, as = owner) => migrate({ owner: as, service, folder })
  })

  /** Works while a connection of its own holds what this statement locked in an open transaction. */
  const whileLocked = async (statement: string, work: (release: () => Promise<unknown>) => Promise<void>) => {
    const holder = new Client(owner)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query(statement)
      await work(() => holder.query('rollback'))
    } finally {
      await holder.end()
    }
  }

  it('applies every file once: the numbered ones, then the functions', async () => {
    const names = (await migrationStatus({ owner, folder: SHIPPED })).map(({ name }) => name)
    expect(await pending(SHIPPED)).to.deep.equal(names)
    expect(await run(SHIPPED)).to.deep.equal(names)
    expect(names[0]).to.equal('0001_roles.sql')
    expect(names.at(-1)).to.match(/^functions\//)
    expect(await pending(SHIPPED)).to.deep.equal([])
    expect(await run(SHIPPED)).to.deep.equal([])
  })

  it('applies each file once where two migrate at once', async () => {
    const [one, other] = await Promise.all([run(SHIPPED), run(SHIPPED)])
    expect([...one, ...other]).to.deep.equal(
      (await migrationStatus({ owner, folder: SHIPPED })).map(({ name }) => name),
    )
  })

  it('says that it waits for another migrator, and goes on once that has ended', async () => {
    const lines: string[] = []
    const { service } = await cluster()
    await whileLocked(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`, async (release) => {
      const waiting = migrate({ owner, service, folder: SHIPPED, log: (line) => lines.push(line) })
      await lockWaiters(ask)
      expect(lines).to.deep.equal(['another process is migrating this database: waiting until it has finished'])
      await release()
      expect(await waiting).to.include('0001_roles.sql')
    })
    await migrate({ owner, service, folder: SHIPPED, log: (line) => lines.push(line) })
    expect(lines).to.have.length(1)
  })

  it('works on a second database of a server that has the roles already', async () => {
    await run(SHIPPED)
    const { owner: second } = await createDatabase()
    expect(await run(SHIPPED, second)).to.include('0001_roles.sql')
  })

  it('leaves nothing locked where its connection is killed, and the next run finishes', async () => {
    const folder = await copied()
    await writeFile(new URL('9998_waits.sql', folder), 'create table half (); select pg_advisory_xact_lock(42);')
    await writeFile(new URL('9999_last.sql', folder), 'create table last ()')
    await whileLocked('select pg_advisory_xact_lock(42)', async () => {
      const killed = refusal(run(folder))
      const [waiting] = await lockWaiters(ask)
      await ask('select pg_terminate_backend($1, 10000)', [waiting])
      expect(await killed).to.be.an('error')
    })
    expect(await ask(`select to_regclass('half') as half, to_regclass('links') is not null as links`)).to.deep.equal([
      { half: null, links: true },
    ])
    expect(
      await ask(
        `select from pg_locks l join pg_database d on d.oid = l.database
          where l.locktype = 'advisory' and d.datname = current_database()`,
      ),
    ).to.deep.equal([])
    expect(await run(folder))
      .to.include('9998_waits.sql')
      .and.include('9999_last.sql')
      .and.not.include('0001_roles.sql')
    expect(await pending(folder)).to.deep.equal([])
  })

  it('does not hold requests up: it gives up on a lock that it does not get soon, and tries again', async () => {
    await run(SHIPPED)
    const folder = await copied()
    await writeFile(new URL('9999_column.sql', folder), 'alter table links add column more integer')
    await whileLocked('lock table links in row exclusive mode', async (release) => {
      const migrated = run(folder)
      await lockWaiters(ask)
      // queues behind the migration, and is answered although the lock that the migration needs is still held
      await ask('select from links')
      await release()
      expect(await migrated).to.deep.equal(['9999_column.sql'])
    })
  })

  it('refuses a numbered file that was changed after it was applied, and names it', async () => {
    await run(SHIPPED)
    const folder = await copied()
    await appendFile(new URL('0003_links.sql', folder), '\n')
    for (const refused of [await refusal(run(folder)), await refusal(pending(folder))])
      expect(refused)
        .to.be.instanceOf(StartError)
        .with.property('message', 'migrations/0003_links.sql was changed after it was applied to this database')
  })

  it('applies a function again when its file changes, that one alone, with its owner and rights', async () => {
    await run(SHIPPED)
    const folder = await copied()
    const rights = () => ask(`select prosrc, proowner, proacl::text from pg_proc where proname = 'caller_stands'`)
    const [before] = await rights()
    const file = new URL('functions/enter_change.sql', folder)
    await appendFile(
      file,
      `create or replace function caller_stands(caller jsonb) returns boolean
      language plpgsql stable security definer set search_path = pg_catalog, pg_temp as 'begin return false; end';`,
    )
    expect(await pending(folder)).to.deep.equal(['functions/enter_change.sql'])
    expect(await run(folder)).to.deep.equal(['functions/enter_change.sql'])
    expect(await pending(folder)).to.deep.equal([])
    expect(await rights()).to.deep.equal([{ ...before, prosrc: 'begin return false; end' }])

    // and again where the change is taken back
    expect(await run(SHIPPED)).to.deep.equal(['functions/enter_change.sql'])
    expect(await rights()).to.deep.equal([before])
  })

  it('applies all functions again to a database that has them', async () => {
    await run(SHIPPED)
    const folder = await copied()
    const functions = (await migrationStatus({ owner, folder }))
      .map(({ name }) => name)
      .filter((name) => !/^\d/.test(name))
    for (const name of functions) await appendFile(new URL(name, folder), '\n')
    expect(await run(folder)).to.deep.equal(functions)
  })

  it('serves beside a newer version: its files are tolerated, its functions are left alone', async () => {
    const newer = await copied()
    await writeFile(new URL('9999_newer.sql', newer), 'alter table links add column more integer')
    await appendFile(new URL('functions/find_links.sql', newer), '\n-- of the newer version')
    await writeFile(
      new URL('functions/more.sql', newer),
      'create function more() returns int language sql as $$ select 1 $$',
    )
    await run(newer)
    expect(await pending(SHIPPED)).to.deep.equal([])
    expect(await run(SHIPPED)).to.deep.equal([])
    expect(await pending(newer)).to.deep.equal([])
  })

  it('takes SQL as it is: several statements, and operators with a question mark', async () => {
    const folder = await copied()
    await writeFile(
      new URL('9999_operators.sql', folder),
      `create table answers as select '{"a": 1}'::jsonb ? 'a' as one; insert into answers select '[]'::jsonb ?| '{b}';`,
    )
    await run(folder)
    expect(await ask('select one from answers order by one')).to.deep.equal([{ one: false }, { one: true }])
  })

  it('refuses a role of the service whose name holds $$, by that name, and gives its rights to no other', async () => {
    await run(SHIPPED)
    const user = 'one$$two'
    const error = await refusal(migrate({ owner, service: { user, password: 'secret' }, folder: SHIPPED }))
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.include(`a name that is not supported: ${user}`)
  })

  it('says in one line what the role lacks', async () => {
    await ask(`create role weak login password 'weak'`)
    try {
      const refused = await refusal(run(SHIPPED, { ...owner, user: 'weak', password: 'weak' }))
      expect(refused)
        .to.be.instanceOf(StartError)
        .with.property('message')
        .that.matches(
          /^the database role that migrates lacks a right \([^\n]+\): [^\n]*"alter role weak createrole"[^\n]+$/,
        )
        .and.contains(
          ": MIGRATION_DATABASE_URL must name the schema's owner, with CREATEROLE and INHERIT; or a superuser",
        )
    } finally {
      await ask('drop role weak')
    }
  })
})
