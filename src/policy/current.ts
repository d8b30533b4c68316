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
  /** Loads what the database holds; puts it in force where it is newer and whole. Keeps the last good one otherwise (promise 3). */
  refresh(): Promise<Snapshot>
  /** `can(user, action, link)` of the specification, under the revision in force. */
  can(user: Subject, action: string, record: Owned | null): boolean
  status(): PolicyStatus
}

/**
 * Holds one reference and swaps it. `load` answers the newest snapshot, or null where the one with `known` is still the newest.
 * Refreshes that overlap share one load; a demand that arrives during a load gets one that began after it.
 */
export const createCurrentPolicy = (load: (known: number | null) => Promise<Snapshot | null>): CurrentPolicy => {
  let inForce: Snapshot | null = null
  let fault: string | null = null
  let running: Promise<void> | null = null
  let queued: Promise<void> | null = null

  const loadOnce = async () => {
    try {
      const loaded = await load(inForce?.revision ?? null)
      if (loaded && (inForce === null || loaded.revision > inForce.revision)) inForce = loaded
      fault = null
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
      throw error
    }
  }
  const start = () => (running = loadOnce().finally(() => { running = null }))
  const refreshed = (): Promise<void> => {
    if (running === null) return start()
    queued ??= running.catch(() => undefined).then(() => {
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
    can: (user, action, record) => current().decide(user, action, record).effect === 'allow',
    status: () => ({ revision: inForce?.revision ?? null, fault }),
  }
}
