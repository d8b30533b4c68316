import { replay } from '../../audit/replay.js'
import type { Replay, ReplayOptions } from '../../audit/replay.js'
import type { Database } from '../../database/database.js'
import type { DataRule } from '../route.js'

/** Decides recorded decisions again, for those whom the policy lets read them. */
export interface Replays {
  of(options: Omit<ReplayOptions, 'budgetMs'>): Promise<Replay>
}

/** How long one request may read the log: within its deadline (5 s), with time left for the plan of the edit. */
const BUDGET_MS = 3_000

export const replaysStore = (database: Database): DataRule<Replays> => ({
  rows: 'decision records, to read alone',
  open: () => ({ of: (options) => replay(database, { ...options, budgetMs: BUDGET_MS }) }),
})
