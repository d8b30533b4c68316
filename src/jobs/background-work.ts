import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import type { Job } from './run-jobs.js'

type Upkeep = Pick<Config, 'trashDays' | 'visitDays'>

/** How many months of visit partitions exist ahead of time. */
const MONTHS_AHEAD = 2

/** How many batches of visits are counted by one statement. */
const BATCHES_AT_ONCE = 5

/** For how many days totals are kept by the hour; after that they are kept by the day (UTC). */
const DAYS_BY_HOUR = 35

/** All background work. Each step is one short statement (migrations/functions/). */
export const backgroundWork = (database: Pick<Database, 'run'>, { trashDays, visitDays }: Upkeep): readonly Job[] => {
  /** Repeats a database function until nothing is left to do, or the run is over. */
  const inSteps = (name: string, everySeconds: number, step: string, ...values: readonly number[]): Job => ({
    name,
    everySeconds,
    run: async (isOver) => {
      let total = 0
      while (!isOver()) {
        const [row] = await database.run<{ done: number }>({ text: `select ${step} as done`, values })
        if (row === undefined || row.done === 0) break
        total += row.done
      }
      return total
    },
  })
  return [
    // deletes for good what has been in the trash longer than that
    inSteps('purge_trash', 3_600, 'purge_deleted_links($1)', trashDays),
    {
      // forgets the salt and the visitors of the day before; so does the first visit of the next day
      name: 'visit_day',
      everySeconds: 60,
      run: async () => {
        await database.run({ text: 'select from visit_day()' })
        return 0
      },
    },
    {
      name: 'visit_months',
      everySeconds: 3_600,
      run: async () => {
        await database.run({ text: "select add_months('visits', $1)", values: [MONTHS_AHEAD] })
        await database.run({ text: 'select drop_visit_months($1)', values: [visitDays] })
        return 0
      },
    },
    // visits that were written by processes which ended before counting them
    inSteps('count_visits', 60, 'count_visits($1)', BATCHES_AT_ONCE),
    inSteps('expire_visits', 3_600, 'expire_visits($1)', visitDays),
    inSteps('sum_visit_days', 3_600, 'sum_visit_days($1)', DAYS_BY_HOUR),
    inSteps('move_visits', 60, 'move_visits()'),
    inSteps('forget_visits', 3_600, 'forget_visits()'),
  ]
}
