import { isDatabaseAway } from '../database/errors.js'
import type { Snapshot } from './snapshot.js'

export interface PolicyStatus {
  /** null while no policy has been loaded */
  readonly revision: number | null
  /** why the newest load that reached the database failed, in one line; null where it succeeded */
  readonly fault: string | null
  /** true while the newest load did not reach the database, which says nothing about the policy */
  readonly unreached: boolean
}

/** The policy in force in this process. */
export interface CurrentPolicy {
  /** Throws until the first policy is loaded: nothing is decided before. */
  current(): Snapshot
  /**
   * Loads what the database holds, and puts it in force where it is newer and complete. Otherwise the last good policy
   * stays (promise 3).
   */
  refresh(): Promise<Snapshot>
  /** Puts the snapshot of a confirmed commit in force without loading it, where it is newer (`commitEdit`). */
  adopt(committed: Snapshot): void
  status(): PolicyStatus
}

/**
 * Holds one reference and swaps it. `load` gets the revision in force and answers null where it is the newest. `wrap`
 * sees each snapshot that comes into force, and may observe its decisions.
 */
export const createCurrentPolicy = (
  load: (known: number | null) => Promise<Snapshot | null>,
  wrap = (snapshot: Snapshot): Snapshot => snapshot,
): CurrentPolicy => {
  let inForce: Snapshot | null = null
  let fault: string | null = null
  let unreached = false
  let running: Promise<void> = Promise.resolve()
  let queued: Promise<void> | null = null

  // INVARIANT: nothing is awaited between the comparison and the swap, so no revision replaces a newer one
  const adopt = (snapshot: Snapshot) => {
    if (inForce === null || snapshot.revision > inForce.revision) inForce = wrap(snapshot)
  }
  const loadOnce = async () => {
    try {
      const loaded = await load(inForce?.revision ?? null)
      if (loaded) adopt(loaded)
      fault = null
      unreached = false
    } catch (error) {
      unreached = isDatabaseAway(error)
      if (!unreached) fault = error instanceof Error ? error.message : String(error)
      throw error
    }
  }
  /** Refreshes share a load that has not begun yet. One that is running may have read an older revision. */
  const refreshed = () =>
    (queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null
        running = loadOnce()
        return running
      }))
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
    status: () => ({ revision: inForce?.revision ?? null, fault, unreached }),
  }
}
