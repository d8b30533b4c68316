import { replay, type Replay, type ReplayOptions } from '../../audit/replay.js'
import type { Database } from '../../database/database.js'
import type { DataRule } from '../rules.js'

/** Replays recorded decisions, for callers who may read them. */
export interface Replays {
  of(options: Omit<ReplayOptions, 'budgetMs'>): Promise<Replay>
}

/** The share of a request's deadline for reading the log; the rest is for planning the edit. */
const BUDGET = 0.6

export const replaysStore = (database: Database, deadlineMs: number): DataRule<Replays> => ({
  rows: 'decision records, to read alone',
  open: () => ({ of: (options) => replay(database, { ...options, budgetMs: deadlineMs * BUDGET }) }),
})
