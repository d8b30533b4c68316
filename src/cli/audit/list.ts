import { Option, type Command } from 'commander'

import type { LogFilter } from '../../domain/log-filter.js'
import { LOG_FORMATS } from '../../routes/log-export.js'
import { count } from '../arguments.js'
import { printPart, printStyled } from '../print.js'
import { entryLine } from './entry-line.js'
import { withFilters, withLog } from './log-filters.js'
import { requirePeriod, time } from './time.js'

interface ListOptions extends LogFilter {
  readonly limit: number
  readonly format?: 'csv' | 'ndjson'
}

/** For people, the newest entries; for programs, all matching ones. */
export const register = (audit: Command) =>
  withFilters(audit.command('list').description('print decisions and changes, newest last'))
    .option('--from <time>', 'entries from this time on, or from a span back from now, such as 24h', time)
    .option('--to <time>', 'entries before this time', time)
    .option('--limit <count>', 'how many of the newest entries', count(9_999), 50)
    .addOption(
      new Option('--format <format>', 'print all matching entries, for a program')
        .choices(['csv', 'ndjson'])
        .conflicts('limit'),
    )
    .action(({ limit, format, ...options }: ListOptions) => {
      requirePeriod(options.from, options.to)
      return withLog(options, async (log, filter) => {
        if (format === undefined) {
          const { data } = await log.page({ ...filter, limit })
          for (const entry of data.toReversed()) printStyled(entryLine(entry))
          return
        }
        const { head, lines } = LOG_FORMATS[format]
        await printPart(head)
        for await (const batch of log.export(filter)) if (!(await printPart(lines(batch)))) break
      })
    })
