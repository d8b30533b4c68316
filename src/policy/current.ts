import type { Owned } from '../domain/link.js'
import type { Subject } from '../domain/user.js'
import type { Snapshot } from './snapshot.js'

export interface PolicyStatus {
  /** null while no policy has been loaded */
  readonly revision: number | null
  /** why the newest load failed, in one line; null where it did not */
  readonly fault: string | null
}

/** The policy in force in this process. */
export interface CurrentPolicy {
  /** Throws where none was ever loaded: nothing is decided before the first policy is whole. */
  current(): Snapshot
  /**
   * Loads what the database holds; puts it in force where it is newer and whole. Keeps the last good one otherwise
   * (promise 3).
   */
  refresh(): Promise<Snapshot>
  /**
   * Puts a snapshot in force where it is newer: one that a load would answer, since its commit was confirmed
   * (`commitEdit`).
   */
  adopt(committed: Snapshot): void
  /** `can(user, action, link)` of the specification, under the revision in force. */
  can(user: Subject, action: string, record: Owned | null): boolean
  status(): PolicyStatus
}

/**
 * Holds one reference and swaps it. `load` answers the newest snapshot, or null where the one with `known` is still the
 * newest. Refreshes that overlap share one load; a demand that arrives during a load gets one that began after it.
 * Whatever comes in force does so through `enter`, which may answer the same decisions under observation.
 */
export const createCurrentPolicy = (
  load: (known: number | null) => Promise<Snapshot | null>,
  enter = (snapshot: Snapshot): Snapshot => snapshot,
): CurrentPolicy => {
  let inForce: Snapshot | null = null
  let fault: string | null = null
  let running: Promise<void> | null = null
  let queued: Promise<void> | null = null

  // INVARIANT: nothing is awaited between the comparison and the swap, so that no revision ever takes the place of a
  // newer one
  const adopt = (snapshot: Snapshot) => {
    if (inForce === null || snapshot.revision > inForce.revision) inForce = enter(snapshot)
  }
  const loadOnce = async () => {
    try {
      const loaded = await load(inForce?.revision ?? null)
      if (loaded) adopt(loaded)
      fault = null
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
      throw error
    }
  }
  const start = () =>
    (running = loadOnce().finally(() => {
      running = null
    }))
  const refreshed = (): Promise<void> => {
    if (running === null) return start()
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null
        // one that somebody else began in between began after this demand, too
        return running ?? start()
      })
    return queued
  }
  const current = () => {
    if (inForce === null) throw new Error('no policy has been loaded yet')
    return inForce
  }
  return {
    current,
    refresh: async () => {
      await refreshed()
      return current()
    },
    adopt,
    can: (user, action, record) => current().can(user, action, record),
    status: () => ({ revision: inForce?.revision ?? null, fault }),
  }
}
