import { cp, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { FIRST_REPLACED, LAST_REPLACED } from '../../src/database/adopt-development.js'
import { migrate, migrationStatus } from '../../src/database/migrate.js'
import { StartError } from '../../src/domain/start-error.js'
import { withPool, type AskDatabase } from '../support/bare-database.js'
import { MIGRATED, cluster, createDatabase } from '../support/cluster.js'
import { BY_HAND } from '../support/records.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const SHIPPED = new URL('migrations/', PACKAGE_ROOT)

/** What is applied to a database once it has the baseline. */
const AFTER_BASELINE = ['0013_log_filters.sql']
const WITHOUT_IT = 'drop index decisions_of_refusals, decisions_of_changes'

/** What a development version leaves behind. */
const LEFTOVERS = `
  create type added_visit as (link_id bigint, time timestamptz(3), kind integer, is_new boolean);
  alter table added_visits add column visits added_visit[];
  create function take_old_batch() returns trigger language plpgsql as 'begin return new; end';
  create trigger take_old_batch before insert on added_visits
    for each row when (new.visits is not null) execute function take_old_batch();
  create function enter_identity() returns void language sql as '';
  create function find_link(wanted text) returns void language sql as '';
  create function count_visits() returns integer language sql as 'select 0'`

const SCHEMA = `
  select 'function ' || oid::regprocedure as thing from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'trigger ' || tgrelid::regclass || '.' || tgname from pg_trigger where not tgisinternal
  union all select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace
  union all select 'column ' || attrelid::regclass || '.' || attname from pg_attribute
    where not attisdropped and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
  order by 1`

describe('adopting the database of a development version', () => {
  let ask: AskDatabase
  let run: (folder?: URL) => Promise<unknown>
  let pending: () => Promise<unknown>
  let fresh: { readonly keys: readonly unknown[]; readonly schema: readonly unknown[] }
  const keys = () => ask('select name from schema_migrations order by name')

  beforeEach(async () => {
    const { owner } = await createDatabase(MIGRATED)
    const { service } = await cluster()
    ask = withPool(owner)
    run = (folder = SHIPPED) => migrate({ owner, service, folder }).catch((error: unknown) => error)
    pending = async () => {
      const files = await migrationStatus({ owner, folder: SHIPPED }).catch((error: unknown) => error)
      return Array.isArray(files) ? files.filter(({ applied }) => !applied) : files
    }
    fresh = { keys: await keys(), schema: await ask(SCHEMA) }
    await ask(`delete from schema_migrations where name ~ '^\\d'`)
    await store(FIRST_REPLACED, '0003_links.sql 00', '0013_links_people_keep.sql 00')
    await ask(WITHOUT_IT)
    await ask(LEFTOVERS)
    await ask(
      `with decided as (select set_config('app.decision', $1, false))
       insert into links (code, target) select 'a', 'https://example.com/' from decided`,
      [BY_HAND],
    )
  })

  const store = (...names: readonly string[]) =>
    ask(
      'insert into schema_migrations (name, batch, migration_time) select name, 1, now() from unnest($1::text[]) name',
      [names],
    )

  it('gives it the schema of a new one, keeps its data, and applies nothing again', async () => {
    await store(LAST_REPLACED)
    expect(await pending()).to.deep.equal(AFTER_BASELINE.map((name) => ({ name, applied: false })))
    expect(await run()).to.deep.equal(AFTER_BASELINE)
    expect(await keys()).to.deep.equal(fresh.keys)
    expect(await ask(SCHEMA)).to.deep.equal(fresh.schema)
    expect(await ask('select code from links')).to.deep.equal([{ code: 'a' }])
    expect(await pending()).to.deep.equal([])
    expect(await run()).to.deep.equal([])
  })

  it('applies what came after the baseline', async () => {
    await store(LAST_REPLACED)
    const folder = pathToFileURL(`${await makeTemporaryFolder()}/`)
    await cp(SHIPPED, folder, { recursive: true })
    await writeFile(new URL('9999_more.sql', folder), 'alter table links add column more integer')
    expect(await run(folder)).to.deep.equal([...AFTER_BASELINE, '9999_more.sql'])
    expect(await run(folder)).to.deep.equal([])
  })

  it('does all of it or nothing', async () => {
    await store(LAST_REPLACED)
    await ask('create view uses_it as select visits from added_visits')
    const before = [await keys(), await ask(SCHEMA)]
    expect(await run()).to.be.an('error')
    expect([await keys(), await ask(SCHEMA)]).to.deep.equal(before)
    await ask('drop view uses_it')
    expect(await run()).to.deep.equal(AFTER_BASELINE)
  })

  it('refuses one that lacks the last of the replaced files, says what to do, and changes nothing', async () => {
    const before = await keys()
    for (const refused of [await pending(), await run()])
      expect(refused)
        .to.be.instanceOf(StartError)
        .with.property('message')
        .that.includes('older than commit 2be5eb4: run')
    expect(await keys()).to.deep.equal(before)
  })
})
