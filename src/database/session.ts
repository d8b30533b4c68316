import { Client, DatabaseError } from 'pg'
import type { ClientConfig } from 'pg'

import { StartError } from '../domain/start-error.js'

export interface SessionRules {
  /** the only role that the session may have begun as; undefined: any that is bound by row-level security */
  readonly role: string | undefined
  /** true where the settings say that a pooler stands in between */
  readonly pooled: boolean
}

/** What a session says of itself. */
export interface Session {
  readonly role: string
  /**
   * true where row-level security does not bind the role, or it could lift it: a superuser, or who owns the tables or
   * may become their owner
   */
  readonly mighty: boolean
}

/** Asks a session for a `Session`. */
export const WHO_AM_I = `
  select current_user::text as role,
    rolsuper or rolbypassrls or rolcreaterole or rolreplication
      or coalesce((select pg_has_role(relowner, 'member') from pg_class where oid = to_regclass('links')), false) as mighty
  from pg_roles where rolname = current_user`

/** Why a session may not serve requests; undefined where it may. */
export const faultOfSession = ({ role, mighty }: Session, expected: string | undefined): string | undefined => {
  if (expected !== undefined && role !== expected)
    return `a session began as the role "${role}" instead of "${expected}"`
  return mighty ? `a session began as the role "${role}", which row-level security does not bind` : undefined
}

/**
 * Opens one connection as the service does, and throws StartError where no request may be served on such a one: it
 * began as a role that owns the tables or is bound by nothing, or leads through a pooler of which the settings say
 * nothing.
 */
export const requireServiceSession = async (
  connection: ClientConfig,
  { role, pooled }: SessionRules,
): Promise<void> => {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  // a connection that breaks is told by the question that was under way
  client.on('error', () => undefined)
  try {
    await client.connect()
    const {
      rows: [session],
    } = await client.query<Session & { readonly pid: number; readonly isolation: string }>(
      `select who.*, pg_backend_pid() as pid, current_setting('default_transaction_isolation') as isolation from (${WHO_AM_I}) who`,
    )
    if (session === undefined) throw new StartError('DATABASE_URL: the session has no role')
    const fault = faultOfSession(session, role)
    if (fault !== undefined)
      throw new StartError(
        `DATABASE_URL: ${fault}; a pooler or proxy in between has to leave the role as it is (docs/operations.md#pgbouncer)`,
      )
    if (session.isolation !== 'read committed')
      throw new StartError(
        `DATABASE_URL: default_transaction_isolation is "${session.isolation}"; it has to be "read committed" (alter role … set default_transaction_isolation)`,
      )
    if (!pooled && session.pid !== processOf(client)) {
      throw new StartError(
        'DATABASE_URL leads through a pooler: set DATABASE_POOLER=transaction (docs/operations.md#pgbouncer)',
      )
    }
  } catch (error) {
    throw asStartError(error, pooled)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The server's process as the protocol's greeting named it. A pooler greets with a number of its own. */
const processOf = (client: object): unknown => ('processID' in client ? client.processID : undefined)

const asStartError = (error: unknown, pooled: boolean): unknown => {
  if (!(error instanceof DatabaseError)) return error
  // some poolers refuse what a server is told at the start, before they can be told by their greeting
  if (!pooled && error.code === '08P01')
    return new StartError(
      `DATABASE_URL leads through a pooler (${error.message}): set DATABASE_POOLER=transaction (docs/operations.md#pgbouncer)`,
      { cause: error },
    )
  if (/options/.test(error.message) && error.code === '08P01') {
    return new StartError(
      `DATABASE_URL: a pooler does not take the service's role at the start of a connection (${error.message}): give the service a login role of its own, and MIGRATION_DATABASE_URL to the owner (docs/operations.md#pgbouncer)`,
      { cause: error },
    )
  }
  return new StartError(`DATABASE_URL: the service cannot log in (${error.message})`, { cause: error })
}
