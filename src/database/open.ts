import type { ClientConfig } from 'pg'

import { messageOf } from '../domain/thrown.js'
import { NoInstallation, StartError } from '../domain/start-error.js'
import { hasDatabase, openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js'
import { connectionsOf, type ConnectionSettings } from './connections.js'
import { migrate, migrationStatus } from './migrate.js'
import { requireServiceSession } from './session.js'
import { withConnection } from './with-connection.js'

export interface DatabaseSettings extends ConnectionSettings {
  readonly databaseUrl: string | undefined
  readonly migrationDatabaseUrl: string | undefined
  readonly listenDatabaseUrl?: string | undefined
  /** true if `databaseUrl` leads through a pooler in transaction mode */
  readonly databasePooled?: boolean
  readonly dataDir: string
  readonly migrations: URL
}

/** How the service logs in to its database. */
export interface ServiceLogin {
  readonly service: ClientConfig
  /** for notifications: bypasses a pooler */
  readonly listener: ClientConfig
}

/** A PostgreSQL with the schema of this version. */
interface OpenedDatabase extends ServiceLogin {
  readonly migrated: readonly string[]
  /** stops the embedded database, unless another process uses it */
  leave(): Promise<void>
}

/** The role of the service's sessions if it logs in as the owner of the schema. */
const SERVICE_ROLE = 'linkgate_service'
const OLDEST = 15

/**
 * Opens the database that the settings name: an external PostgreSQL >= 15, or the embedded one, which it starts if
 * needed. Migrates the schema if the login owns it. If another role owns it, only `linkgate migrate` may (with
 * MIGRATION_DATABASE_URL), and an outdated schema is a StartError; so is a login that can bypass row-level security.
 * Without an installation it throws NoInstallation, unless `creating` (or `migrating`): a command in the wrong folder
 * must not create a new one and answer from that.
 */
export const openDatabase = async (settings: DatabaseSettings, purpose: Purpose = {}): Promise<OpenedDatabase> =>
  settings.databaseUrl === undefined
    ? openEmbedded(settings, purpose)
    : openExternal(settings, settings.databaseUrl, purpose)

interface Purpose {
  /** creates an installation if there is none */
  readonly creating?: boolean
  /** like `creating`, but changes only the schema, as its owner */
  readonly migrating?: boolean
  /** receives a line about anything unusual */
  readonly log?: (line: string) => void
}

const requireDatabaseIn = async (dataDir: string): Promise<void> => {
  if (!(await hasDatabase(dataDir))) throw new NoInstallation(`the folder ${dataDir} (DATA_DIR)`)
}

/** Starts it with enough connections for the settings. One that runs already stays as it is. */
const startEmbedded = (settings: DatabaseSettings, log?: (line: string) => void) =>
  openEmbeddedPostgres({
    dataDir: settings.dataDir,
    log,
    settings: { max_connections: String(connectionsOf(settings)) },
  })

const openEmbedded = async (
  settings: DatabaseSettings,
  { creating = false, migrating = false, log }: Purpose,
): Promise<OpenedDatabase> => {
  const { dataDir, migrations: folder } = settings
  if (!creating && !migrating) await requireDatabaseIn(dataDir)
  const { owner, service, leave } = await startEmbedded(settings, log)
  try {
    const migrated = await migrate({ owner, service, folder, log })
    const { user, password } = service
    const login = { ...owner, user, password, options: optionsOf(false, undefined) }
    return { service: login, listener: login, migrated, leave }
  } catch (error) {
    await leave()
    throw error
  }
}

const openExternal = async (
  settings: DatabaseSettings,
  databaseUrl: string,
  { creating = false, migrating = false, log }: Purpose,
): Promise<OpenedDatabase> => {
  const { migrationDatabaseUrl, databasePooled: pooled = false, migrations: folder } = settings
  const { username } = new URL(databaseUrl)
  const owner = { connectionString: migrationDatabaseUrl ?? databaseUrl }
  // the service itself never connects as the owner
  const owns = await ownsSchema(migrating ? owner : { connectionString: databaseUrl })
  if (owns === null && !creating && !migrating) throw new NoInstallation(nameOf(databaseUrl))
  const separate =
    owns === false || (migrationDatabaseUrl !== undefined && new URL(migrationDatabaseUrl).username !== username)
  const role = separate ? undefined : SERVICE_ROLE
  const service = { connectionString: databaseUrl, options: optionsOf(pooled, role) }
  const opened = { service, listener: listenerOf(service, settings), leave: async () => {} }
  if (separate && !migrating) {
    await requireServiceSession(service, { role, pooled })
    const [first, ...others] = (await migrationStatus({ owner: service, folder })).filter(({ applied }) => !applied)
    if (first !== undefined)
      throw new StartError(
        `the database lacks ${others.length + 1} migration(s), ${first.name} first: run "linkgate migrate"`,
      )
    return { ...opened, migrated: [] }
  }
  const login = role === undefined ? { user: decodeURIComponent(username) } : { user: role, ownerBecomes: true }
  const migrated = await migrate({ owner, service: login, folder, log })
  // `linkgate migrate` itself needs no session of the service, nor the pooler in front of it
  if (!migrating) await requireServiceSession(service, { role, pooled })
  return { ...opened, migrated }
}

/**
 * Startup options of the service's connections. `role` is what a session returns to after a transaction under another
 * role. Changes need the isolation level read committed (migrations/functions/enter_change.sql), and pg reads no
 * times but those in ISO style. A pooler does not accept these options, so its server must have them as defaults.
 */
const optionsOf = (pooled: boolean, role: string | undefined): string | undefined =>
  [
    ...(role === undefined ? [] : [`-c role=${role}`]),
    ...(pooled ? [] : ['-c default_transaction_isolation=read\\ committed -c datestyle=iso']),
  ].join(' ') || undefined

/** The connection for notifications: that of the service, or DATABASE_LISTEN_URL if it is set. */
export const listenerOf = (
  service: ClientConfig,
  { listenDatabaseUrl }: Pick<DatabaseSettings, 'listenDatabaseUrl'>,
): ClientConfig => (listenDatabaseUrl === undefined ? service : { ...service, connectionString: listenDatabaseUrl })

/** Opens the database as it is, as the owner of the schema, for what the service's role may not do. */
export const openAsOwner = async (
  settings: DatabaseSettings,
): Promise<Pick<OpenedDatabase, 'leave'> & { readonly owner: ClientConfig }> => {
  const { databaseUrl, migrationDatabaseUrl, dataDir } = settings
  if (databaseUrl !== undefined) {
    const owner = { connectionString: migrationDatabaseUrl ?? databaseUrl }
    // throws if it does not answer
    await ownsSchema(owner)
    return { owner, leave: async () => {} }
  }
  await requireDatabaseIn(dataDir)
  return startEmbedded(settings)
}

/** The database of a URL, without its password. */
const nameOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url)
  return `the database ${decodeURIComponent(pathname.slice(1))} at ${hostname}${port && `:${port}`} (DATABASE_URL)`
}

/**
 * Whether the login owns the schema; null if it can see none, so that it will own the new one. Throws StartError if the
 * server does not answer or is too old.
 */
const ownsSchema = async (connection: ClientConfig): Promise<boolean | null> => {
  try {
    return await withConnection(connection, async (client) => {
      const {
        rows: [server],
      } = await client.query<{ version: string; owns: boolean | null }>(
        `select current_setting('server_version_num') as version,
          (select pg_has_role(relowner, 'member') from pg_class where oid = to_regclass('schema_migrations')) as owns`,
      )
      if (Number(server?.version) < OLDEST * 10_000) throw new StartError(`PostgreSQL ${OLDEST} or newer is needed`)
      return server?.owns ?? null
    })
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `the database does not answer: ${messageOf(error)} (DATABASE_URL, or for migrations MIGRATION_DATABASE_URL)`,
      { cause: error },
    )
  }
}
