import { Command, InvalidArgumentError, Option } from 'commander'

import { decisionLog } from '../../layers/4-data/decisions.js'
import { LOG_FORMATS } from '../../routes/log-export.js'
import { print, withDatabase } from '../session.js'
import { entryLine } from './entry-line.js'
import { filterOf, withFilters, withTimes } from './filter.js'
import type { FilterOptions } from './filter.js'

const limitOf = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 9999')
  return Number(text)
}

interface ListOptions extends FilterOptions {
  readonly limit: number
  readonly format?: 'csv' | 'ndjson'
}

/** `linkgate audit list`: the newest entries for a person, oldest of them first; or all that match, for a program. */
export const listCommand = (): Command =>
  withTimes(withFilters(new Command('list').description('print what was decided and changed, the newest last')))
    .option('--limit <count>', 'so many of the newest', limitOf, 50)
    .addOption(new Option('--format <format>', 'all that match, for a program').choices(['csv', 'ndjson']))
    .action(async ({ limit, format, ...options }: ListOptions) =>
      withDatabase(async (database) => {
        const log = decisionLog(database)
        const filter = await filterOf(database, options)
        if (format === undefined) {
          const { data } = await log.page({ ...filter, limit })
          for (const entry of data.toReversed()) print(entryLine(entry))
          return
        }
        const { head, lines } = LOG_FORMATS[format]
        if (head !== '') print(head)
        for await (const batch of log.export(filter)) print(lines(batch))
      }),
    )
