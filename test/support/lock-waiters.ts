import type { AskDatabase } from './bare-database.js'
import { until } from './until.js'

/** The process ids of the backends of a database that wait for a lock, as soon as there are this many. */
export const lockWaiters = (ask: AskDatabase, count = 1): Promise<readonly number[]> =>
  until(`${count} backends wait for a lock`, async () => {
    const rows = await ask<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length >= count && rows.map(({ pid }) => pid)
  })
