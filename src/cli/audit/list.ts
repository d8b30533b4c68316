import { setTimeout as delay } from 'node:timers/promises'

import { Option } from 'commander'
import type { Command } from 'commander'

import { DECIDING_LAYERS, ENTRY_KINDS, statusRange } from '../../domain/log-filter.js'
import type { LogFilter } from '../../domain/log-filter.js'
import type { LogEntry } from '../../layers/4-data/decisions.js'
import { LOG_FORMATS } from '../../routes/log-export.js'
import { action, checked, count, revision } from '../arguments.js'
import { print, printPart, printStyled } from '../print.js'
import { entryLine } from './entry-line.js'
import { time } from './time.js'
import type { withLog as openLog } from './with-log.js'

const status = checked((text) => statusRange(text) !== null, 'must be a status such as 403, or a class such as 4xx')

const withFilters = (command: Command): Command =>
  command
    .option('--user <id or e-mail>', 'entries of one user')
    .option('--link <code or id>', 'entries about one link: by its id, or those under one of its codes')
    .option('--action <action>', 'entries of one action, such as link:delete', action)
    .addOption(
      new Option('--effect <effect>', 'only what was allowed, or only what was denied').choices(['allow', 'deny']),
    )
    .option('--rule <rule>', 'entries by one rule, such as R5, or one refusal, such as insufficient_scope')
    .addOption(new Option('--layer <layer>', 'decisions of one layer').choices([...DECIDING_LAYERS]))
    .option('--status <status>', 'entries with a response status, such as 403, or a class of them: 4xx', status)
    .option('--revision <number>', 'entries decided under one revision of the policy', revision)
    .option('--request <id>', 'entries of one request')
    .addOption(new Option('--kind <kind>', 'decisions, or changes of one kind').choices([...ENTRY_KINDS]))

/** The code that opens a database is loaded on demand: `audit verify FILE` needs none. */
const withLog: typeof openLog = async (options, work) => (await import('./with-log.js')).withLog(options, work)

interface ListOptions extends LogFilter {
  readonly limit: number
  readonly format?: 'csv' | 'ndjson'
}

/** For people, the newest entries; for programs, all matching ones. */
export const listCommand = (audit: Command) =>
  withFilters(audit.command('list').description('print decisions and changes, newest last'))
    .option('--from <time>', 'entries from this time on, or from a span back from now, such as 24h', time)
    .option('--to <time>', 'entries before this time', time)
    .option('--limit <count>', 'how many of the newest entries', count(9_999), 50)
    .addOption(
      new Option('--format <format>', 'print all matching entries, for a program')
        .choices(['csv', 'ndjson'])
        .conflicts('limit'),
    )
    .action(({ limit, format, ...options }: ListOptions) =>
      withLog(options, async (log, filter) => {
        if (format === undefined) {
          const { data } = await log.page({ ...filter, limit })
          for (const entry of data.toReversed()) printStyled(entryLine(entry))
          return
        }
        const { head, lines } = LOG_FORMATS[format]
        await printPart(head)
        for await (const batch of log.export(filter)) if (!(await printPart(lines(batch)))) break
      }),
    )

const EVERY_MS = 500
const FIRST_ENTRIES = 10
/** The most entries of a page. */
const PAGE = 1_000
/** Ids are assigned before the commit, so an entry may appear this many ids late. */
const OVERLAP = 10_000n

export const tailCommand = (audit: Command) =>
  withFilters(audit.command('tail').description('print decisions and changes as they happen, until interrupted'))
    .option('--json', 'print one JSON object per line')
    .action(({ json, ...options }: LogFilter & { readonly json?: true }) =>
      withLog(options, async (log, filter) => {
        const interrupted = onInterrupt()
        const shown = new Set<string>()
        let newest = 0n
        /** entries before this one had happened already */
        let oldest = 0n
        /** The entries that were not shown yet, oldest first. Reads on while pages have some: many commit at once. */
        const unseen = async (): Promise<readonly LogEntry[]> => {
          const after = newest > OVERLAP ? String(newest - OVERLAP) : undefined
          const found: LogEntry[] = []
          let cursor: string | null = null
          do {
            const page = await log.page({ ...filter, after, limit: PAGE, ...(cursor !== null && { cursor }) })
            const unseenOfPage = page.data.filter(({ id }) => !shown.has(id) && BigInt(id) >= oldest)
            found.push(...unseenOfPage)
            cursor = unseenOfPage.length > 0 ? page.next_cursor : null
          } while (cursor !== null && !interrupted.aborted)
          return found.toReversed()
        }
        const first = await log.page({ ...filter, limit: FIRST_ENTRIES })
        if (first.next_cursor !== null) oldest = BigInt(first.data.at(-1)?.id ?? 0)
        while (!interrupted.aborted) {
          for (const entry of await unseen()) {
            shown.add(entry.id)
            if (json) print(JSON.stringify(entry))
            else printStyled(entryLine(entry))
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
