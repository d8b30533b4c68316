import type { Database } from '../database/database.js'
import type { CurrentPolicy } from '../policy/current.js'

/** Whether the service can answer, and what it rests on. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: {
    readonly database: 'ok' | 'away'
    readonly policy: { readonly revision: number | null; readonly fault: string | null }
    readonly draining: boolean
  }
}

export interface ReadinessParts {
  readonly database: Pick<Database, 'run'>
  readonly policy: Pick<CurrentPolicy, 'status'>
  readonly draining: () => boolean
}

/** Anybody may ask: which row it is, the log says. */
const POLICY_FAULT = 'a newer policy revision cannot be in force; this one is the last good one'

/** Asks the database, and looks at the policy in force. */
export const readinessOf =
  ({ database, policy, draining }: ReadinessParts) =>
  async (): Promise<Readiness> => {
    const reachable = await database.run({ text: 'select 1' }).then(
      () => true,
      () => false,
    )
    const { revision, fault } = policy.status()
    const stops = draining()
    return {
      ready: reachable && revision !== null && fault === null && !stops,
      checks: {
        database: reachable ? 'ok' : 'away',
        policy: { revision, fault: fault === null ? null : POLICY_FAULT },
        draining: stops,
      },
    }
  }
