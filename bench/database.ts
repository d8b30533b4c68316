import { join } from 'node:path'
import { rm } from 'node:fs/promises'

import { Client } from 'pg'

import { PACKAGE_ROOT } from '../src/config.js'
import { openEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js'
import { migrate } from '../src/database/migrate.js'
import { openPool } from '../src/database/pool.js'
import { ACTIONS } from '../src/domain/action.js'
import { createAccounts } from '../src/identity/accounts.js'
import { createIssuer } from '../src/identity/issuer.js'
import { loadOrMakeSigningKey, loadSigningKey } from '../src/identity/signing-key.js'
import { onDatabase, urlOf } from '../test/support/node.js'
import { makeTemporaryFolder } from '../test/support/temporary-folder.js'
import { cpuSecondsOf, parentOf } from './process-time.js'

/** A benchmark database, with one editor and their links. */
export interface BenchDatabase {
  readonly client: Client
  /** settings of one more service on it */
  environment(): Readonly<Record<string, string>>
  /** the same database for those who know no roles */
  readonly ownerUrl: string
  /** the same two over another wire on the loopback */
  through(port: number): { readonly environment: Readonly<Record<string, string>>; readonly ownerUrl: string }
  /** the socket that the server listens on */
  readonly socket: string
  /** the private key that tokens are signed with */
  readonly signingKeyFile: string
  /** processor time that PostgreSQL, with all its processes, has used so far, in seconds */
  cpuSeconds(): Promise<number>
  readonly editor: { readonly id: string; readonly authorization: string }
  readonly admin: { readonly id: string; readonly authorization: string }
  /** the Authorization header of a user, with every scope */
  authorizationOf(userId: string): Promise<string>
  /** Makes links `bench-FROM` … of the editor, past every trigger. */
  addLinks(from: number, to: number): Promise<void>
  close(): Promise<void>
}

/** A migrated database without users. `client` connects as its owner, `service` as the non-owner role. */
export const openEmptyDatabase = async () => {
  const folder = await makeTemporaryFolder('linkgate-bench-')
  const postgres = await openEmbeddedPostgres({ dataDir: join(folder, 'data') })
  await migrate({ owner: postgres.owner, service: postgres.service, folder: new URL('migrations/', PACKAGE_ROOT) })
  const client = new Client(postgres.owner)
  await client.connect()
  return {
    folder,
    client,
    owner: postgres.owner,
    service: { ...postgres.owner, user: postgres.service.user, password: postgres.service.password },
    close: async (): Promise<void> => {
      await client.end()
      await postgres.leave()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const openBenchDatabase = async (): Promise<BenchDatabase> => {
  let services = 0
  const { folder, client, owner, service, close } = await openEmptyDatabase()
  const signingKeyFile = join(folder, 'key.pem')
  await loadOrMakeSigningKey(signingKeyFile)
  const { rows: backends } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = await parentOf(backends[0]?.pid ?? 0)
  const issuer = createIssuer(await loadSigningKey(signingKeyFile))
  const pool = openPool({ connection: service, size: 1, deadlineMs: 10_000 })
  const authorizationOf = async (subject: string) =>
    `Bearer ${(await issuer.sign({ subject, scope: ACTIONS.join(' '), ttlSeconds: 7_200 })).token}`
  const account = async (role: string) => {
    const { id } = await createAccounts(pool).add({ email: `${role}@example.com`, role, name: '', passwordHash: null })
    return { id, authorization: await authorizationOf(id) }
  }
  const [editor, admin] = [await account('editor'), await account('admin')]
  await pool.close()
  return {
    client,
    editor,
    admin,
    authorizationOf,
    environment: () => ({
      ...onDatabase(service, owner),
      JWT_SIGNING_KEY_FILE: signingKeyFile,
      DATA_DIR: join(folder, `service-${(services += 1)}`),
    }),
    ownerUrl: urlOf(owner),
    socket: `${owner.host}/.s.PGSQL.${owner.port}`,
    signingKeyFile,
    cpuSeconds: () => cpuSecondsOf(postmaster),
    through: (port) => {
      const wire = { host: '127.0.0.1', port }
      return {
        environment: onDatabase({ ...service, ...wire }, { ...owner, ...wire }),
        ownerUrl: urlOf({ ...owner, ...wire }),
      }
    },
    addLinks: async (from, to) => {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      await client.query(
        `insert into links (code, target, owner_id)
         select 'bench-' || n, 'https://example.com/' || n, $3 from generate_series($1::int, $2::int) n`,
        [from, to, editor.id],
      )
      // the same rows for those who know no layer: no row-level security, no trigger
      await client.query('create table if not exists bare_links (like links including all)')
      await client.query(
        `insert into bare_links (id, code, target, owner_id) overriding system value
         select id, code, target, owner_id from links
          where code = any (select 'bench-' || n from generate_series($1::int, $2::int) n)`,
        [from, to],
      )
      await client.query('commit')
      await client.query("select setval(pg_get_serial_sequence('bare_links', 'id'), max(id)) from bare_links")
      await client.query(BARE_LOG)
      await client.query('vacuum analyze links, bare_links')
    },
    close,
  }
}

/** One row for each change by hand, with as much in it as a decision record without its chain. */
const BARE_LOG = `create table if not exists bare_log (
  id bigint generated always as identity primary key, time timestamptz not null default now(),
  user_id bigint, role text, action text, code text, effect text, rule text, status integer)`
