import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { Client } from 'pg'
import type { ClientConfig } from 'pg'

import { StartError } from '../domain/start-error.js'
import { SQLSTATE, sqlState } from './errors.js'

export interface Migration {
  readonly name: string
  readonly applied: boolean
}

export interface MigrateOptions {
  /** connection of the schema's owner */
  readonly owner: ClientConfig
  /** the role that the service logs in as; created with the password where one is given (the embedded database) */
  readonly service: { readonly user: string; readonly password?: string }
  /** folder of the numbered SQL files and grants.sql */
  readonly folder: URL
}

const NUMBERED = /^\d{4}_[a-z0-9_]+\.sql$/
const ROLE_NAME = /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/
/**
 * How long a migration waits for what requests hold: whoever comes behind it waits, too, and a request has its
 * deadline. Then it lets them through, and tries again, so often.
 */
const LOCK_TIMEOUT_MS = 1_500
const TRIES = 40
const PAUSE_MS = 500
// one migration at a time, whoever starts it; let go of by the end of the connection, also by its death
const LOCK = 'select pg_advisory_lock(7274500)'

/** Which migrations there are, and which of them the database has. */
export const migrationStatus = async ({
  owner,
  folder,
}: Pick<MigrateOptions, 'owner' | 'folder'>): Promise<readonly Migration[]> =>
  connected(owner, async (client) => {
    const done = await applied(client)
    return (await migrationFiles(folder)).map(({ name }) => ({ name, applied: done.has(name) }))
  })

/**
 * Brings the schema up to date: every numbered file that the database has not had, each in a transaction of its own,
 * then the grants of the service's role. Returns the names of what was applied. A file that was changed after it was
 * applied is a StartError: history is not rewritten. Files that the database has had and this version does not know are
 * a newer version's, which this one serves beside.
 */
export const migrate = async ({ owner, service, folder }: MigrateOptions): Promise<readonly string[]> =>
  connected(owner, async (client) => {
    await client.query(LOCK)
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const done = await applied(client)
    const names: string[] = []
    for (const { name, text, sha256 } of await migrationFiles(folder)) {
      const known = done.get(name)
      if (known === undefined) {
        await amongRequests(client, async () => {
          await client.query(text)
          await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
        })
        names.push(name)
      } else if (known !== sha256) {
        throw new StartError(`migrations/${name} was changed after it was applied to this database`)
      }
    }
    await grantService(client, service, folder)
    return names
  })

const connected = async <T>(owner: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ ...owner, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    return await work(client)
  } catch (error) {
    throw asStartError(error)
  } finally {
    await client.end()
  }
}

const inTransaction = async (client: Client, work: () => Promise<void>): Promise<void> => {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/**
 * A transaction that waits for no lock for long, and is tried again where it got none: requests may hold what it needs,
 * in another order.
 */
const amongRequests = async (client: Client, work: () => Promise<void>): Promise<void> => {
  for (let tried = 1; ; tried += 1) {
    try {
      return await inTransaction(client, async () => {
        await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await work()
      })
    } catch (error) {
      const state = sqlState(error)
      if (tried === TRIES || (state !== SQLSTATE.lockNotAvailable && state !== SQLSTATE.deadlockDetected)) throw error
      await delay(PAUSE_MS)
    }
  }
}

/** What a person at a terminal can do something about is told as one line. */
const asStartError = (error: unknown): unknown => {
  if (sqlState(error) !== SQLSTATE.insufficientPrivilege || !(error instanceof Error)) return error
  return new StartError(
    `the database role that migrates lacks a right (${error.message}): MIGRATION_DATABASE_URL has to be the schema's owner, with CREATEROLE (docs/operations.md)`,
    { cause: error },
  )
}

const applied = async (client: Client): Promise<ReadonlyMap<string, string>> => {
  const {
    rows: [found],
  } = await client.query<{ exists: boolean }>("select to_regclass('schema_migrations') is not null as exists")
  if (!found?.exists) return new Map()
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations')
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]))
}

const migrationFiles = async (folder: URL) => {
  const names = (await readdir(folder)).filter((name) => NUMBERED.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Creates or updates the service's role and gives it the rights of grants.sql, and no others. */
const grantService = async (
  client: Client,
  { user, password }: MigrateOptions['service'],
  folder: URL,
): Promise<void> => {
  if (!ROLE_NAME.test(user))
    throw new StartError(`the service's database role has a name that is not supported: ${user}`)
  const name = client.escapeIdentifier(user)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [user])
  const grants = (await readFile(new URL('grants.sql', folder), 'utf8')).replaceAll(':service', name)
  await inTransaction(client, async () => {
    if (rowCount === 0)
      await client.query(`create role ${name} noinherit ${password === undefined ? 'nologin' : 'login'}`)
    if (password !== undefined)
      await client.query(`alter role ${name} login noinherit password ${client.escapeLiteral(password)}`)
    await client.query(grants)
  })
}
