import { setTimeout as delay } from 'node:timers/promises'

import { Option } from 'commander'
import type { Command } from 'commander'

import { decisionLog } from '../../layers/4-data/decisions.js'
import type { LogFilter } from '../../layers/4-data/decisions.js'
import { LOG_FORMATS } from '../../routes/log-export.js'
import { count, parsed } from '../arguments.js'
import { print, withDatabase } from '../session.js'
import { entryLine, filterOf, withFilters } from './entries.js'

const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** ISO 8601, from a time or a span back from now: `90m`, `24h`, `7d`. */
const time = parsed((text) => {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd')
    return new Date(Date.now() - Number(amount) * MINUTES[unit] * 60_000).toISOString()
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : new Date(date).toISOString()
}, 'must be a time such as 2026-11-21T05:00:00Z or 2026-11-21, or a span back from now: 90m, 24h, 7d')

interface ListOptions extends LogFilter {
  readonly limit: number
  readonly format?: 'csv' | 'ndjson'
}

/** For a person the newest entries; for a program all that match. */
export const listCommand = (audit: Command) =>
  withFilters(audit.command('list').description('print decisions and changes, the newest last'))
    .option('--from <time>', 'entries from this time on, or from a span back from now, such as 24h', time)
    .option('--to <time>', 'entries before this time', time)
    .option('--limit <count>', 'how many of the newest entries', count(9_999), 50)
    .addOption(new Option('--format <format>', 'print all matching entries, for a program').choices(['csv', 'ndjson']))
    .action(({ limit, format, ...options }: ListOptions) =>
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

const EVERY_MS = 500
const FIRST_ENTRIES = 10
/** Entries of one look. */
const PAGE = 1_000
/** Ids are assigned before the commit, so an entry may appear this many ids late. */
const OVERLAP = 10_000n

export const tailCommand = (audit: Command) =>
  withFilters(audit.command('tail').description('print decisions and changes as they happen, until interrupted'))
    .option('--json', 'print one JSON object per line')
    .action(({ json, ...options }: LogFilter & { readonly json?: true }) =>
      withDatabase(async (database) => {
        const log = decisionLog(database)
        const filter = await filterOf(database, options)
        const interrupted = onInterrupt()
        const shown = new Set<string>()
        let newest = 0n
        for (let limit = FIRST_ENTRIES; !interrupted.aborted; limit = PAGE) {
          const after = newest > OVERLAP ? String(newest - OVERLAP) : undefined
          const { data } = await log.page({ ...filter, after, limit })
          for (const entry of data.toReversed()) {
            if (shown.has(entry.id)) continue
            shown.add(entry.id)
            print(json ? JSON.stringify(entry) : entryLine(entry))
            if (BigInt(entry.id) > newest) newest = BigInt(entry.id)
          }
          for (const id of shown) if (BigInt(id) < newest - OVERLAP) shown.delete(id)
          await delay(EVERY_MS, undefined, { signal: interrupted }).catch(() => undefined)
        }
      }),
    )

const onInterrupt = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  // the reader has closed the pipe (`| head`)
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}
