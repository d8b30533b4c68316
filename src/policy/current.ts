import { isDatabaseAway } from '../database/errors.js'
import type { Snapshot } from './snapshot.js'

export interface PolicyStatus {
  /** null while no policy has been loaded */
  readonly revision: number | null
  /** why the newest load that reached the database failed, in one line; null where it succeeded */
  readonly fault: string | null
  /** set where the fault is that the rows in the database are not those of the revision in force */
  readonly differs?: true
  /** true while the newest load did not reach the database, which says nothing about the policy */
  readonly unreached: boolean
}

/** How stored rows are compared with those in force, and what is done where they differ. */
export interface RowCheck {
  readonly differ: (inForce: Snapshot) => Promise<boolean>
  readonly record: () => Promise<void>
}

const NO_CHECK: RowCheck = { differ: async () => false, record: async () => undefined }

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
  /**
   * Compares the rows in force with the stored ones of their revision. Where they differ, or the database is back at an
   * older revision, the policy has a fault until what no revision accounts for is recorded as one and the stored rows
   * are in force. Answers whether they differed.
   */
  check(): Promise<boolean>
  status(): PolicyStatus
}

interface InForce {
  readonly snapshot: Snapshot
  /**
   * How the stored rows of its revision compare with its own, as far as a check has found. Once a difference is
   * recorded as a revision, the stored rows may come into force.
   */
  stored: 'the same' | 'different' | 'different and recorded'
}

/**
 * Holds one reference and swaps it. `load` gets the revision in force and answers null where it is the newest. `wrap`
 * sees each snapshot that comes into force, and may observe its decisions.
 */
export const createCurrentPolicy = (
  load: (known: number | null) => Promise<Snapshot | null>,
  wrap = (snapshot: Snapshot): Snapshot => snapshot,
  rows: RowCheck = NO_CHECK,
): CurrentPolicy => {
  let inForce: InForce | null = null
  let fault: string | null = null
  let unreached = false
  let running: Promise<void> = Promise.resolve()
  let queued: Promise<void> | null = null

  const differs = () => inForce !== null && inForce.stored !== 'the same'
  const enter = (snapshot: Snapshot) => {
    inForce = { snapshot: wrap(snapshot), stored: 'the same' }
  }
  // INVARIANT: nothing is awaited between the comparison and the swap, so no revision replaces a newer one
  const adopt = (snapshot: Snapshot) => {
    if (inForce === null || snapshot.revision > inForce.snapshot.revision) enter(snapshot)
  }
  const loadOnce = async () => {
    const before = inForce
    const isToBeReplaced = before?.stored === 'different and recorded'
    try {
      const loaded = await load(isToBeReplaced ? null : (before?.snapshot.revision ?? null))
      // what differs is replaced whatever its revision is, unless something newer came meanwhile
      if (loaded && isToBeReplaced && inForce === before) enter(loaded)
      else if (loaded) adopt(loaded)
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
    return inForce.snapshot
  }
  const check = async () => {
    const checked = inForce
    if (checked === null || !(await rows.differ(checked.snapshot)) || inForce !== checked) return false
    if (checked.stored === 'the same') checked.stored = 'different'
    await rows.record()
    checked.stored = 'different and recorded'
    await refreshed()
    return true
  }
  return {
    check,
    current,
    refresh: async () => {
      await refreshed()
      return current()
    },
    adopt,
    status: () => ({
      revision: inForce?.snapshot.revision ?? null,
      fault:
        fault ?? (differs() ? `the stored rows are not those of policy revision ${inForce?.snapshot.revision}` : null),
      unreached,
      ...(differs() ? { differs: true } : {}),
    }),
  }
}
