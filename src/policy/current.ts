import { isDatabaseAway } from '../database/errors.js'
import { messageOf } from '../domain/thrown.js'
import { PolicyError } from './policy-error.js'
import type { Snapshot } from './snapshot.js'

export interface PolicyStatus {
  /** null while no policy has been loaded */
  readonly revision: number | null
  /** one line: why the latest load that reached the database failed, or that the stored rows differ; null: neither */
  readonly fault: string | null
  /** true if the stored rows differ from those of the revision in force */
  readonly differs: boolean
  /** true while the latest load did not reach the database, which says nothing about the policy itself */
  readonly unreached: boolean
}

/** The newest revision cannot be in force. */
export class NewestNotGood extends PolicyError {
  constructor(
    message: string,
    /** an earlier one that can be, and that is newer than the one in force; null if there is none */
    readonly lastGood: Snapshot | null,
  ) {
    super(message)
  }
}

/** Compares the stored rows with those in force, and records a difference as a revision. */
interface RowCheck {
  readonly differ: (inForce: Snapshot) => Promise<boolean>
  readonly record: () => Promise<void>
}

const NO_CHECK: RowCheck = { differ: async () => false, record: async () => undefined }

/** The policy in force in this process. */
export interface CurrentPolicy {
  /** Throws until the first policy is loaded, so nothing is decided before. */
  current(): Snapshot
  /**
   * Loads the stored policy, and puts it in force if it is newer and complete. Otherwise the last good policy is in
   * force (promise 3), and this throws.
   */
  refresh(): Promise<Snapshot>
  /** Puts a committed snapshot (`commitEdit`) in force without reloading it, if it is newer. */
  adopt(committed: Snapshot): void
  /**
   * Compares the rows in force with the stored rows of their revision. If they differ, or the database is back at an
   * older revision, the policy has a fault until the difference is recorded as a revision and the stored rows are in
   * force. Resolves with true if they differed.
   */
  check(): Promise<boolean>
  status(): PolicyStatus
}

interface InForce {
  readonly snapshot: Snapshot
  /**
   * What the checks have found so far. Once a difference is recorded as a revision, the stored rows may come into
   * force.
   */
  stored: 'the same' | 'different' | 'different and recorded'
}

/**
 * Holds one reference and swaps it. `load` gets the revision in force, and resolves with null if that is the newest.
 * `wrap` gets each snapshot before it comes into force, and may observe its decisions.
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
      // a snapshot that differs from the stored rows is replaced whatever its revision, unless a newer one came
      // meanwhile
      if (loaded && isToBeReplaced && inForce === before) enter(loaded)
      else if (loaded) adopt(loaded)
      fault = null
      unreached = false
    } catch (error) {
      unreached = isDatabaseAway(error)
      if (!unreached) fault = messageOf(error)
      if (error instanceof NewestNotGood && error.lastGood !== null) adopt(error.lastGood)
      throw error
    }
  }
  /** Refreshes share a load that has not started yet. A running one may have read an older revision. */
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
    if (checked === null) return false
    const isDifferent = await rows.differ(checked.snapshot)
    if (inForce !== checked) return false
    if (checked.stored !== 'different and recorded') checked.stored = isDifferent ? 'different' : 'the same'
    if (!isDifferent) return false
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
      differs: differs(),
    }),
  }
}
