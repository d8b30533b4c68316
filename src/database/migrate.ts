import { readFile } from 'node:fs/promises'

import type { Client, ClientConfig } from 'pg'

import { StartError } from '../domain/start-error.js'
import { adopt, adoptedKeys } from './adopt-development.js'
import { ADVISORY_LOCKS } from './advisory-locks.js'
import { applyFiles, betweenRequests, TABLE } from './apply-files.js'
import { SQLSTATE, sqlState } from './errors.js'
import { requireOwnSession } from './session.js'
import { pendingFiles, readSqlFiles, type SqlFile } from './sql-files.js'
import { withConnection } from './with-connection.js'

interface Migration {
  readonly name: string
  readonly applied: boolean
}

interface MigrateOptions {
  /** connection of the schema's owner */
  readonly owner: ClientConfig
  /**
   * The role that the service logs in as; created if a password is given (the embedded database). `ownerBecomes`: the
   * service logs in as the owner instead, and switches to this role.
   */
  readonly service: { readonly user: string; readonly password?: string; readonly ownerBecomes?: boolean }
  /** folder of the numbered SQL files, functions/ and grants.sql */
  readonly folder: URL
  /** receives a line when it has to wait for another migrator */
  readonly log?: ((line: string) => void) | undefined
}

/** Without `$$`, which ends a string of the SQL that the name is put into. */
const ROLE_NAME = /^(?!.*\$\$)[A-Za-z_][A-Za-z0-9_$-]{0,62}$/

/** All files, and whether each was applied. */
export const migrationStatus = async ({
  owner,
  folder,
}: Pick<MigrateOptions, 'owner' | 'folder'>): Promise<readonly Migration[]> =>
  withConnection(owner, async (client) => {
    const files = await readSqlFiles(folder)
    const pending = pendingFiles(files, adoptedKeys(files, await appliedKeys(client)))
    return files.map((file) => ({ name: file.path, applied: !pending.includes(file) }))
  })

/**
 * Brings the schema up to date: applies every missing file in its own transaction, then the grants of the service's
 * role. Returns the names of the applied files.
 */
export const migrate = async ({ owner, service, folder, log }: MigrateOptions): Promise<readonly string[]> =>
  withConnection(owner, async (client) => {
    await requireOwnSession(client)
    await lockMigrations(client, log)
    const files = await readSqlFiles(folder)
    try {
      const pending = pendingFiles(files, await adopt(client, files, await appliedKeys(client)))
      await applyFiles(client, pending)
      await betweenRequests(client, () => grantService(client, service, folder))
      return pending.map(({ path }) => path)
    } catch (error) {
      throw await explained(client, [...rolesMadeBy(files), service.user], error)
    }
  })

/** One migrator at a time. The lock ends with the connection, however the process ends. */
const lockMigrations = async (client: Client, log: MigrateOptions['log']): Promise<void> => {
  const lock = [ADVISORY_LOCKS.migrations]
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', lock)
  if (rows[0]?.locked === true) return
  log?.('another process is migrating this database: waiting until it has finished')
  await client.query('select pg_advisory_lock($1)', lock)
}

const appliedKeys = async (client: Client): Promise<readonly string[]> => {
  const { rows: tables } = await client.query('select where to_regclass($1) is not null', [TABLE])
  if (tables.length === 0) return []
  const { rows } = await client.query<{ name: string }>(`select name from ${TABLE}`)
  return rows.map(({ name }) => name)
}

/** Creates or updates the service's role, and gives it the rights of grants.sql. */
const grantService = async (
  client: Client,
  { user, password, ownerBecomes = false }: MigrateOptions['service'],
  folder: URL,
): Promise<void> => {
  if (!ROLE_NAME.test(user))
    throw new StartError(`the service's database role has a name that is not supported: ${user}`)
  const name = client.escapeIdentifier(user)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [user])
  const login =
    password === undefined ? '' : `alter role ${name} noinherit login password ${client.escapeLiteral(password)};`
  const grants = (await readFile(new URL('grants.sql', folder), 'utf8')).replaceAll(':service', name)
  // sent as one query, these are one transaction
  await client.query(`
    ${rowCount === 0 ? `create role ${name} noinherit;` : ''}
    ${login}
    ${ownerBecomes ? becomes(name) : ''}
    ${grants}`)
}

/** Lets the owner switch to a role. A superuser can anyway; since PostgreSQL 16 the creator of a role needs a grant. */
const becomes = (name: string): string => `
  do $$
  begin
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute 'grant ${name} to current_user' || case when current_setting('server_version_num')::int >= 160000
        then ' with inherit false, set true' else '' end;
    end if;
  end $$;`

/**
 * The roles that migrations create: those in the array of 0001_roles.sql. Roles belong to the whole cluster, so another
 * installation may have created them.
 */
const rolesMadeBy = ([first]: readonly SqlFile[]): readonly string[] => {
  const [, list = ''] = /array\[([^\]]*)\]/.exec(first?.text ?? '') ?? []
  return [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
}

/** Turns an error that the operator can fix into one line that says how. */
const explained = async (client: Client, roles: readonly string[], error: unknown): Promise<unknown> => {
  if (sqlState(error) !== SQLSTATE.insufficientPrivilege || !(error instanceof Error)) return error
  const missing = await missingRights(client, roles).catch(() => [])
  const statements = missing.map((statement) => `"${statement}"`).join(', ')
  const advice =
    "MIGRATION_DATABASE_URL must name the schema's owner, with CREATEROLE and INHERIT" +
    (statements && `; or a superuser gives the right: ${statements}`)
  const message = `the database role that migrates lacks a right (${error.message}): ${advice} (docs/operations.md)`
  return new StartError(message, { cause: error })
}

interface Owner {
  readonly name: string
  readonly might: boolean
  readonly makesRoles: boolean
  readonly inherits: boolean
  readonly ownsSchema: boolean
  /** what the role would have to own so that it owns the schema */
  readonly toOwn: string
  readonly knowsAdmins: boolean
}

/** Names are quoted if needed, because people copy the message and run it. */
const OWNER = `
  select quote_ident(current_user) as name, rolsuper as might, rolcreaterole as "makesRoles", rolinherit as inherits,
    pg_has_role(nspowner, 'usage') as "ownsSchema",
    case when nspowner = to_regrole('pg_database_owner') then 'database ' || quote_ident(current_database())
      else 'schema public' end as "toOwn",
    current_setting('server_version_num')::int >= 160000 as "knowsAdmins"
  from pg_roles, pg_namespace where rolname = current_user and nspname = 'public'`

/** Since PostgreSQL 16, a role can be granted only by somebody with its admin option. */
const NOT_ADMINISTERED = `
  select string_agg(quote_ident(rolname), ', ' order by rolname) as roles from pg_roles
   where rolname = any ($1) and not pg_has_role(oid, 'member with admin option')`

/**
 * The rights that the migrating role lacks, as statements that a superuser can run; empty if none are known to be
 * missing. `roles`: those that the migrations grant to the service.
 */
const missingRights = async (client: Client, roles: readonly string[]): Promise<readonly string[]> => {
  const [owner] = (await client.query<Owner>(OWNER)).rows
  if (owner === undefined || owner.might) return []
  const { name, makesRoles, inherits, ownsSchema, toOwn, knowsAdmins } = owner
  const [others] = knowsAdmins ? (await client.query<{ roles: string | null }>(NOT_ADMINISTERED, [roles])).rows : []
  return [
    ...(makesRoles ? [] : [`alter role ${name} createrole`]),
    // newer servers store the right to inherit in each grant, and the grants of the migrations have it
    ...(inherits || knowsAdmins ? [] : [`alter role ${name} inherit`]),
    ...(ownsSchema ? [] : [`alter ${toOwn} owner to ${name}`]),
    ...(others?.roles ? [`grant ${others.roles} to ${name} with admin option`] : []),
  ]
}
