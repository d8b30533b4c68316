import { DatabaseError, type Client, type ClientConfig } from 'pg'

import { StartError } from '../domain/start-error.js'
import { withConnection } from './with-connection.js'

export interface Session {
  readonly role: string
  /** true for a superuser, for the owner of the tables, and for a role that can become one of them */
  readonly bypassesRls: boolean
}

/** Selects a `Session`. */
export const SESSION = `
  select current_user::text as role,
    rolsuper or rolbypassrls or rolcreaterole or rolreplication or coalesce(
      (select pg_has_role(relowner, 'member') from pg_class where oid = to_regclass('links')), false) as "bypassesRls"
  from pg_roles where rolname = current_user`

/** Why a session may not serve requests; undefined if it may. */
export const faultOfSession = ({ role, bypassesRls }: Session, expected: string | undefined): string | undefined => {
  if (expected !== undefined && role !== expected) return `a session has the role "${role}" instead of "${expected}"`
  return bypassesRls ? `a session has the role "${role}", which can bypass row-level security` : undefined
}

const GUIDE = '(docs/operations.md#pgbouncer)'

/**
 * Throws StartError unless connections of the service are safe to use: with a role that row-level security binds, with
 * the isolation level read committed and times in ISO style, and not through a pooler that the settings do not mention.
 */
export const requireServiceSession = async (
  connection: ClientConfig,
  rules: {
    /** the role that a session must have; undefined: any that row-level security binds */
    readonly role: string | undefined
    /** true if the settings name a pooler */
    readonly pooled: boolean
  },
): Promise<void> => {
  try {
    await withConnection(connection, async (client) => {
      const {
        rows: [session],
      } = await client.query<Session & { readonly pid: number; readonly isolation: string; readonly style: string }>(
        `select session.*, pg_backend_pid() as pid, current_setting('default_transaction_isolation') as isolation,
                current_setting('datestyle') as style
           from (${SESSION}) session`,
      )
      if (session === undefined) throw new StartError('DATABASE_URL: the session has no role')
      const fault = faultOfSession(session, rules.role)
      if (fault !== undefined)
        throw new StartError(`DATABASE_URL: ${fault}; a pooler or proxy must not change the role ${GUIDE}`)
      if (session.isolation !== 'read committed')
        throw new StartError(
          `DATABASE_URL: default_transaction_isolation is "${session.isolation}"; it must be "read committed" ` +
            '(alter role … set default_transaction_isolation)',
        )
      if (!session.style.startsWith('ISO'))
        throw new StartError(
          `DATABASE_URL: DateStyle is "${session.style}"; it must be "ISO" (alter role … set datestyle)`,
        )
      if (!rules.pooled && session.pid !== backendPidOf(client))
        throw new StartError(`DATABASE_URL leads through a pooler: set DATABASE_POOLER=transaction ${GUIDE}`)
    })
  } catch (error) {
    throw asStartError(error, rules.pooled)
  }
}

/** Throws StartError if the connection leads through a pooler, where locks and settings of a session outlive it. */
export const requireOwnSession = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  if (rows[0]?.pid !== backendPidOf(client))
    throw new StartError(`migrating leads through a pooler: MIGRATION_DATABASE_URL must bypass it ${GUIDE}`)
}

/** The backend's process id from the start of the protocol. A pooler sends a number of its own. */
const backendPidOf = (client: object): unknown => ('processID' in client ? client.processID : undefined)

const asStartError = (error: unknown, pooled: boolean): unknown => {
  if (!(error instanceof DatabaseError)) return error
  const { code, message } = error
  const options = { cause: error }
  // some poolers refuse the startup options, before their process id could give them away
  if (!pooled && code === '08P01')
    return new StartError(
      `DATABASE_URL leads through a pooler (${message}): set DATABASE_POOLER=transaction ${GUIDE}`,
      options,
    )
  if (/options/.test(message) && code === '08P01')
    return new StartError(
      `DATABASE_URL: the pooler does not accept a role in the startup options (${message}): give the service a login ` +
        `role of its own, and set MIGRATION_DATABASE_URL to the owner ${GUIDE}`,
      options,
    )
  return new StartError(`DATABASE_URL: the service cannot log in (${message})`, options)
}
