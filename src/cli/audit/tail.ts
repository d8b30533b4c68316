import { setTimeout as pause } from 'node:timers/promises'

import { Command } from 'commander'

import { decisionLog } from '../../layers/4-data/decisions.js'
import type { LogEntry } from '../../layers/4-data/decisions.js'
import { print, withDatabase } from '../session.js'
import { entryLine } from './entry-line.js'
import { filterOf, withFilters } from './filter.js'
import type { FilterOptions } from './filter.js'

const EVERY_MS = 500
/** Entries that one look back can see at the most, and ids that are remembered as shown. */
const PAGE = 1_000
/** How far an entry's transaction may end behind a later one's: ids are given out before the commit. */
const OVERLAP = 10_000n

/** `linkgate audit tail`: the newest entries, and then what comes, until it is told to stop. */
export const tailCommand = (): Command =>
  withFilters(new Command('tail').description('print decisions and changes as they come, until interrupted'))
    .option('--json', 'one JSON object a line')
    .action(async ({ json, ...options }: FilterOptions & { readonly json?: true }) =>
      withDatabase(async (database) => {
        const log = decisionLog(database)
        const filter = await filterOf(database, options)
        const show = (entry: LogEntry) => print(json ? JSON.stringify(entry) : entryLine(entry))
        const stopped = untilInterrupted()
        const shown = new Set<string>()
        let newest = 0n
        for (let first = true; !stopped.aborted; first = false) {
          const after = newest > OVERLAP ? String(newest - OVERLAP) : undefined
          const { data } = await log.page({ ...filter, after, limit: first ? 10 : PAGE })
          for (const entry of data.toReversed()) {
            if (shown.has(entry.id)) continue
            shown.add(entry.id)
            show(entry)
            if (BigInt(entry.id) > newest) newest = BigInt(entry.id)
          }
          for (const id of shown) {
            if (BigInt(id) >= newest - OVERLAP) break
            shown.delete(id)
          }
          await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined)
        }
      }),
    )

const untilInterrupted = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  // a reader that has seen enough (`| head`) closed the pipe
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}
