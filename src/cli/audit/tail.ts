import { setTimeout as delay } from 'node:timers/promises'

import type { Command } from 'commander'

import type { LogFilter } from '../../domain/log-filter.js'
import type { LogEntry } from '../../layers/4-data/decisions.js'
import { print, printStyled } from '../print.js'
import { entryLine } from './entry-line.js'
import { withFilters, withLog } from './log-filters.js'

const EVERY_MS = 500
const FIRST_ENTRIES = 10
/** The most entries of a page. */
const PAGE = 1_000
/** Ids are assigned before the commit, so an entry may appear this many ids late. */
const OVERLAP = 10_000n
/** Every tenth look reads the whole overlap, because a late entry may be behind a page that was shown before. */
const WHOLE_EVERY = 10

export const register = (audit: Command) =>
  withFilters(audit.command('tail').description('print decisions and changes as they happen, until interrupted'))
    .option('--json', 'print one JSON object per line')
    .action(({ json, ...options }: LogFilter & { readonly json?: true }) =>
      withLog(options, async (log, filter) => {
        const interrupted = onInterrupt()
        const first = await log.page({ ...filter, limit: FIRST_ENTRIES })
        /** no entry up to this id is shown any more */
        let after = first.next_cursor === null ? 0n : BigInt(first.data.at(-1)?.id ?? 0) - 1n
        /** the entries after it that were shown */
        const shown = new Set<string>()
        /** Oldest first. Reads on while pages have some, because many commit at once; to the end if `isWhole`. */
        const unshown = async (isWhole: boolean): Promise<readonly LogEntry[]> => {
          const found: LogEntry[] = []
          let cursor: string | null = null
          do {
            const query = { ...filter, after: String(after), limit: PAGE }
            const page = await log.page(cursor === null ? query : { ...query, cursor })
            const entries = page.data.filter(({ id }) => !shown.has(id))
            found.push(...entries)
            cursor = isWhole || entries.length > 0 ? page.next_cursor : null
          } while (cursor !== null && !interrupted.aborted)
          return found.toReversed()
        }
        for (let look = 0; !interrupted.aborted; look += 1) {
          for (const entry of await unshown(look % WHOLE_EVERY === 0)) {
            if (json) print(JSON.stringify(entry))
            else printStyled(entryLine(entry))
            shown.add(entry.id)
            const lateFrom = BigInt(entry.id) - OVERLAP
            if (lateFrom > after) after = lateFrom
          }
          for (const id of shown) if (BigInt(id) <= after) shown.delete(id)
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
