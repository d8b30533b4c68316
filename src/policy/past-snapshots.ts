import { LRUCache } from 'lru-cache'

import type { Database } from '../database/database.js'
import { Refusal } from '../domain/refusal.js'
import type { CurrentPolicy } from './current.js'
import { rowsOfRevision, storedRevisionOf } from './history.js'
import { PolicyError } from './policy-error.js'
import { buildSnapshot, type Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** Finds the snapshot of a revision; null if there was none, or if its rows no longer parse. */
export type FindSnapshot = (revision: number) => Promise<Snapshot | null>

/** For rows that no longer parse, or cannot be in force: null instead of the error. */
export const nullIfUnreadable = (error: unknown): null => {
  if (error instanceof PolicyError || (error instanceof Refusal && error.code === 'validation_failed')) return null
  throw error
}

/** The snapshot of a large policy takes tens of megabytes. */
const MOST_CACHED = 4

/**
 * Snapshots of earlier revisions, to explain decisions made under them. They are built one at a time and cached until
 * another revision is in force, so the retry of a request that missed its deadline finds its snapshot ready.
 */
export const createPastSnapshots = (database: Database, rules: PolicyRules, policy: CurrentPolicy): FindSnapshot => {
  const cache = new LRUCache<number, Promise<Snapshot | null>>({ max: MOST_CACHED })
  let cachedUnder: Snapshot | undefined
  let building: Promise<unknown> = Promise.resolve()

  const build = async (revision: number): Promise<Snapshot | null> => {
    // another process may have decided under a revision that this one has not loaded
    const newest = policy.current().revision < revision ? await policy.refresh() : policy.current()
    const found = await rowsOfRevision(database, storedRevisionOf(newest), revision)
    return found && buildSnapshot(revision, rules.model, found.rows, found.comments)
  }
  return async (revision) => {
    const current = policy.current()
    if (revision === current.revision) return current
    // a database that was put back gives the numbers of its revisions again
    if (current !== cachedUnder) cache.clear()
    cachedUnder = current
    const cached = cache.get(revision)
    if (cached) return cached
    const found = building.then(() => build(revision)).catch(nullIfUnreadable)
    cache.set(revision, found)
    const forget = () => cache.delete(revision)
    building = found.then((snapshot) => snapshot === null && forget(), forget)
    return found
  }
}
