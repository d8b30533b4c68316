import type { Database } from '../database/database.js'
import type { Job } from './run-jobs.js'

/** What one statement deletes at most (migrations/functions/trash.sql). */
const BATCH = 10_000

/** Deletes for good what has been in the trash for `days`. */
export const purgeTrash = (database: Pick<Database, 'run'>, days: number): Job => ({
  name: 'purge_trash',
  everySeconds: 3_600,
  run: async () => {
    for (let total = 0; ;) {
      const [row] = await database.run<{ purged: number }>({
        text: 'select purge_deleted_links($1) as purged',
        values: [days],
      })
      const purged = row?.purged ?? 0
      total += purged
      if (purged < BATCH) return total
    }
  },
})
