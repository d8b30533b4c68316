import { DecisionOutdated, RecordChanged, refusalOfOutdated } from '../database/errors.js'
import { Refusal, policyUnavailable } from '../domain/refusal.js'
import { PolicyError } from '../policy/policy-error.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { LayeredRequest } from './layered-request.js'
import type { PolicyInForce } from './layers.js'

/** The header with which a caller demands a revision or a newer one. */
export const POLICY_AT_LEAST = 'policy-at-least'

interface Demand {
  readonly isChange: boolean
  /** no token is needed, as for following a link */
  readonly isPublic: boolean
  /** the value of `Policy-At-Least`; undefined if the caller demands no revision */
  readonly demanded: string | undefined
}

/**
 * Runs `act` under the policy in force. If the policy, the caller or the record changed before the commit, runs it once
 * more under the newest policy (promise 1). A change that the policy refuses is refused only under the newest revision
 * in the database (promise 7). A public route is tried again until the deadline while its record keeps changing: a
 * visitor cannot load the link again first.
 */
export const decideUnderOnePolicy = async <T>(
  { runtime: { policy } }: LayeredRequest,
  { isChange, isPublic, demanded }: Demand,
  act: (snapshot: Snapshot) => Promise<T>,
): Promise<T> => {
  // rows or rules that cannot be read are nothing that a caller did
  const acting = (under: Snapshot): Promise<T> =>
    act(under).catch((error: unknown) => {
      throw error instanceof PolicyError ? policyUnavailable(error) : error
    })
  const actAgain = async (newest: Snapshot): Promise<T> => {
    try {
      return await acting(newest)
    } catch (error) {
      if (isPublic && error instanceof RecordChanged) return actAgain(await newestSnapshot(policy))
      throw error instanceof DecisionOutdated ? refusalOfOutdated(error) : error
    }
  }
  const snapshot = demanded === undefined ? policy.current() : await demandedSnapshot(policy, demanded)
  try {
    return await acting(snapshot)
  } catch (error) {
    const refusedByPolicy = isChange && isPolicyRefusal(error)
    if (!refusedByPolicy && !(error instanceof DecisionOutdated)) throw error
    const newest = await newestSnapshot(policy)
    if (refusedByPolicy && newest.revision === snapshot.revision) throw error
    return await actAgain(newest)
  }
}

const DECIDED_BY_POLICY: ReadonlySet<string> = new Set([
  'role_not_allowed',
  'policy_denied',
  'beyond_own_rights',
  'proposer_lost_rights',
])

const isPolicyRefusal = (error: unknown): boolean => error instanceof Refusal && DECIDED_BY_POLICY.has(error.code)

/** The newest policy in the database. Throws 503 if it cannot be loaded, for example because its rows are invalid. */
export const newestSnapshot = (policy: PolicyInForce): Promise<Snapshot> =>
  policy.refresh().catch((error: unknown) => {
    throw policyUnavailable(error)
  })

const REVISION = /^\d{1,15}$/

/** `Policy-At-Least: REVISION`: the snapshot of that revision or a newer one. Throws 412 if there is none. */
const demandedSnapshot = async (policy: PolicyInForce, demanded: string): Promise<Snapshot> => {
  const current = policy.current()
  if (!REVISION.test(demanded)) {
    throw new Refusal('invalid_request', {
      errors: [{ field: 'Policy-At-Least', message: 'must be the number of a policy revision' }],
    })
  }
  if (current.revision >= Number(demanded)) return current
  const fresh = await newestSnapshot(policy)
  if (fresh.revision >= Number(demanded)) return fresh
  throw new Refusal('precondition_failed', {
    detail: `Policy revision ${fresh.revision} is in force; ${demanded} was demanded.`,
  })
}
