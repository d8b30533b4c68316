import { replay } from '../../audit/replay.js'
import type { Replay, ReplayOptions } from '../../audit/replay.js'
import type { Database } from '../../database/database.js'
import type { DataRule } from '../route.js'

/** Decides recorded decisions again, for callers who may read them. */
export interface Replays {
  of(options: Omit<ReplayOptions, 'budgetMs'>): Promise<Replay>
}

/** The part of a request's deadline that may go into reading the log; the rest is for the plan of the edit. */
const BUDGET = 0.6

export const replaysStore = (database: Database, deadlineMs: number): DataRule<Replays> => ({
  rows: 'decision records, to read alone',
  open: () => ({ of: (options) => replay(database, { ...options, budgetMs: deadlineMs * BUDGET }) }),
})
