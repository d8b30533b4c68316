import type { Database } from '../database/database.js'
import { databaseAway } from '../database/errors.js'
import type { CurrentPolicy } from '../policy/current.js'

/** Whether the service is ready, and the checks behind it. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: {
    readonly database: 'ok' | 'away' | 'read_only'
    readonly policy: { readonly revision: number | null; readonly fault: string | null }
    readonly draining: boolean
  }
}

/** Public, so it does not name the row; the log does. */
const POLICY_FAULT = 'a newer policy revision could not be loaded; the last good one is in force'
const ROWS_DIFFER = 'the rows in the database are not those of the policy revision in force; they are being loaded'

/**
 * Checks the database and the policy on every call. Never rejects: outages show in the checks. A stopping service is
 * not ready.
 */
export const readinessOf =
  ({
    database,
    policy,
    draining,
  }: {
    readonly database: Pick<Database, 'transaction'>
    readonly policy: Pick<CurrentPolicy, 'status'>
    readonly draining: () => boolean
  }) =>
  async (): Promise<Readiness> => {
    const state = await stateOf(database)
    const { revision, fault, unreached, differs } = policy.status()
    const stops = draining()
    return {
      ready: state === 'ok' && !unreached && revision !== null && fault === null && !stops,
      checks: {
        database: unreached ? 'away' : state,
        policy: { revision, fault: fault === null ? null : differs ? ROWS_DIFFER : POLICY_FAULT },
        draining: stops,
      },
    }
  }

const READ_ONLY = `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "isReadOnly"`

const stateOf = async (database: Pick<Database, 'transaction'>): Promise<Readiness['checks']['database']> => {
  let isReadOnly = false
  const look = database.transaction(async (client) => {
    const { rows } = await client.query<{ isReadOnly: boolean }>(READ_ONLY)
    isReadOnly = rows[0]?.isReadOnly ?? false
    // Closes the connection: its session would stay read-only after the default of the database has changed.
    if (isReadOnly) throw databaseAway(new Error('the database takes no changes'))
  })
  return look.then(
    () => 'ok',
    () => (isReadOnly ? 'read_only' : 'away'),
  )
}
