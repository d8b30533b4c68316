import { Client } from 'pg'
import type { ClientConfig } from 'pg'

import { StartError } from '../domain/start-error.js'
import { openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js'
import { migrate, migrationStatus } from './migrate.js'
import type { Migration } from './migrate.js'
import { requireServiceSession } from './session.js'

export interface DatabaseSettings {
  readonly databaseUrl: string | undefined
  readonly migrationDatabaseUrl: string | undefined
  readonly listenDatabaseUrl?: string | undefined
  /** true where `databaseUrl` leads through a pooler in transaction mode */
  readonly databasePooled?: boolean
  readonly dataDir: string
  /** folder of the migrations */
  readonly migrations: URL
}

/** A PostgreSQL with the schema of this version, and how the service logs in to it. */
export interface OpenedDatabase {
  readonly service: ClientConfig
  /** how it connects to hear notifications: past a pooler, where there is one */
  readonly listener: ClientConfig
  readonly embedded: boolean
  /** what was migrated on the way, by name */
  readonly migrated: readonly string[]
  /** stops the embedded database where nobody else uses it */
  leave(): Promise<void>
}

/** The service's role where one URL serves both the owner and the service: the owner's rights are left at the door. */
const SERVICE_ROLE = 'linkgate_service'
const OLDEST = 15

/**
 * Opens the database that the settings name: the embedded one, started if need be, or any PostgreSQL >= 15. The schema
 * is brought up to date where the login owns it. Where another role does, `linkgate migrate` alone may do that (with
 * MIGRATION_DATABASE_URL), and a schema that is behind is a StartError that says so. So is a login that could step over
 * the rules of the database.
 */
export const openDatabase = async (
  settings: DatabaseSettings,
  { migrating = false, log }: { readonly migrating?: boolean; readonly log?: (line: string) => void } = {},
): Promise<OpenedDatabase> => {
  const { databaseUrl, migrationDatabaseUrl, dataDir, migrations: folder } = settings
  if (databaseUrl === undefined) {
    const { owner, service, leave } = await openEmbeddedPostgres({ dataDir, log })
    try {
      const migrated = await migrate({ owner, service, folder })
      const login = { ...owner, user: service.user, password: service.password, options: optionsOf({ pooled: false }) }
      return { service: login, listener: login, embedded: true, migrated, leave }
    } catch (error) {
      await leave()
      throw error
    }
  }
  const leave = async () => {}
  const login = new URL(databaseUrl)
  const owner = { connectionString: migrationDatabaseUrl ?? databaseUrl }
  const { owns } = await requireVersion(owner)
  const separate =
    !owns || (migrationDatabaseUrl !== undefined && new URL(migrationDatabaseUrl).username !== login.username)
  const service = {
    connectionString: databaseUrl,
    options: optionsOf({ pooled: settings.databasePooled === true, ...(separate ? {} : { role: SERVICE_ROLE }) }),
  }
  const listener = listenerOf(service, settings)
  const user = separate ? decodeURIComponent(login.username) : SERVICE_ROLE
  if (separate && !migrating) {
    await requireServiceSession(service, { role: undefined, pooled: settings.databasePooled === true })
    const pending = (await migrationStatus({ owner: service, folder })).filter(({ applied }) => !applied)
    if (pending.length > 0)
      throw new StartError(
        `the database lacks ${pending.length} migration(s), ${pending[0]?.name} first: run "linkgate migrate"`,
      )
    return { service, listener, embedded: false, migrated: [], leave }
  }
  const migrated = await migrate({ owner, service: { user }, folder })
  // who only migrates needs no session of the service, nor the pooler that it would lead through
  if (!migrating)
    await requireServiceSession(service, {
      role: separate ? undefined : SERVICE_ROLE,
      pooled: settings.databasePooled === true,
    })
  return { service, listener, embedded: false, migrated, leave }
}

/**
 * Start-up settings of the service's connections. `role` is what a connection falls back to when a transaction's own
 * role ends. A change needs the isolation level read committed (migrations/functions/enter_change.sql). A pooler takes
 * no such setting, and has to lead to a server where that is the default.
 */
const optionsOf = ({ pooled, role }: { readonly pooled: boolean; readonly role?: string }): string | undefined => {
  const options = [
    ...(role === undefined ? [] : [`-c role=${role}`]),
    ...(pooled ? [] : ['-c default_transaction_isolation=read\\ committed']),
  ]
  return options.length === 0 ? undefined : options.join(' ')
}

/** Runs work as the owner of the schema: for what the service's role has no right to (`linkgate audit expire`). */
export const withOwner = async <T>(
  { databaseUrl, migrationDatabaseUrl, dataDir }: DatabaseSettings,
  work: (owner: Client) => Promise<T>,
): Promise<T> => {
  if (databaseUrl !== undefined) return connected({ connectionString: migrationDatabaseUrl ?? databaseUrl }, work)
  const { owner, leave } = await openEmbeddedPostgres({ dataDir })
  try {
    return await connected(owner, work)
  } finally {
    await leave()
  }
}

const connected = async <T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  // a connection that breaks is told by the question that was under way
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * How the service connects to hear notifications: as it logs in, but past a pooler where DATABASE_LISTEN_URL names the
 * way.
 */
export const listenerOf = (
  service: ClientConfig,
  { listenDatabaseUrl }: Pick<DatabaseSettings, 'listenDatabaseUrl'>,
): ClientConfig => (listenDatabaseUrl === undefined ? service : { ...service, connectionString: listenDatabaseUrl })

/** Which migrations there are, and which of them the database has; changes nothing. */
export const listMigrations = async ({
  databaseUrl,
  migrationDatabaseUrl,
  dataDir,
  migrations: folder,
}: DatabaseSettings): Promise<readonly Migration[]> => {
  if (databaseUrl !== undefined)
    return migrationStatus({ owner: { connectionString: migrationDatabaseUrl ?? databaseUrl }, folder })
  const { owner, leave } = await openEmbeddedPostgres({ dataDir })
  try {
    return await migrationStatus({ owner, folder })
  } finally {
    await leave()
  }
}

/**
 * Throws StartError where the server does not answer or is older than we support. Answers whether the login owns the
 * schema, or will: there is none yet.
 */
const requireVersion = async (connection: ClientConfig): Promise<{ readonly owns: boolean }> => {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const {
      rows: [server],
    } = await client.query<{ version: string; owns: boolean | null }>(
      `select current_setting('server_version_num') as version,
        (select pg_has_role(relowner, 'member') from pg_class where oid = to_regclass('schema_migrations')) as owns`,
    )
    if (Number(server?.version) < OLDEST * 10_000) throw new StartError(`PostgreSQL ${OLDEST} or newer is needed`)
    return { owns: server?.owns ?? true }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `the database does not answer: ${error instanceof Error ? error.message || String(error) : String(error)}`,
      { cause: error },
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}
