import type { Database } from '../database/database.js'
import type { CurrentPolicy } from '../policy/current.js'

/** Whether the service is ready, and the checks behind it. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: {
    readonly database: 'ok' | 'away'
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
    readonly database: Pick<Database, 'run'>
    readonly policy: Pick<CurrentPolicy, 'status'>
    readonly draining: () => boolean
  }) =>
  async (): Promise<Readiness> => {
    const answers = await database.run({ text: 'select 1' }).then(
      () => true,
      () => false,
    )
    const { revision, fault, unreached, differs } = policy.status()
    const reachable = answers && !unreached
    const stops = draining()
    return {
      ready: reachable && revision !== null && fault === null && !stops,
      checks: {
        database: reachable ? 'ok' : 'away',
        policy: { revision, fault: fault === null ? null : differs ? ROWS_DIFFER : POLICY_FAULT },
        draining: stops,
      },
    }
  }
