import { LRUCache } from 'lru-cache'

import type { Database } from '../database/database.js'
import { Refusal } from '../domain/refusal.js'
import type { CurrentPolicy } from './current.js'
import { requireReadable, rowsAt, storedRowsOf } from './history.js'
import { buildSnapshot } from './snapshot.js'
import type { Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** The snapshot of a revision, in force or not; null where there is none, or where its rows cannot be read any more. */
export type FindSnapshot = (revision: number) => Promise<Snapshot | null>

/** How many are kept: a large policy's takes tens of megabytes. */
const KEPT = 4

/**
 * Snapshots of earlier revisions, to explain what was decided under them; they decide nothing. Built from the rows in
 * force with every later revision taken back. One is built at a time, however many ask, and a few are kept: a question
 * that ran into its deadline finds the answer when it is asked again.
 */
export const createPastSnapshots = ({
  database,
  rules,
  policy,
}: {
  readonly database: Database
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
}): FindSnapshot => {
  const kept = new LRUCache<number, Promise<Snapshot | null>>({ max: KEPT })
  let building: Promise<unknown> = Promise.resolve()

  const build = async (revision: number): Promise<Snapshot | null> => {
    // another process may have decided under a revision that this one has not heard of yet
    const base = policy.current().revision < revision ? await policy.refresh() : policy.current()
    const at = await rowsAt(database, { revision: base.revision, stored: storedRowsOf(base.rows) }, revision)
    return at && buildSnapshot(revision, rules.model, await requireReadable(at))
  }
  const buildOrForget = async (revision: number, before: Promise<unknown>): Promise<Snapshot | null> => {
    await before
    let found: Snapshot | null = null
    try {
      found = await build(revision)
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'validation_failed')) throw error
    } finally {
      // what is not there may come, and what failed may work
      if (found === null) kept.delete(revision)
    }
    return found
  }
  return async (revision) => {
    const current = policy.current()
    if (revision === current.revision) return current
    const known = kept.get(revision)
    if (known !== undefined) return known
    const found = buildOrForget(revision, building)
    kept.set(revision, found)
    building = found.catch(() => undefined)
    return found
  }
}
