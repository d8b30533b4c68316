import { stringify } from 'csv-stringify/sync'

import type { Link } from '../domain/link.js'

const COLUMNS = ['id', 'code', 'target', 'owner_id', 'created_at', 'updated_at'] as const

const csvLines = (links: readonly Link[]): string => stringify(links.map((link) => COLUMNS.map((column) => link[column])))

const ndjsonLines = (links: readonly Link[]): string =>
  links.map(({ id, code, target, owner_id, created_at, updated_at }) => `${JSON.stringify({ id, code, target, owner_id, created_at, updated_at })}\n`).join('')

/**
 * The links as text, a batch at a time. The first batch is fetched before this resolves: a database that is away is still
 * an error response, and not a download that breaks off after a 200. A reader that goes away, also before it read anything,
 * gives the connection back.
 */
export const exportLinks = async (batches: AsyncGenerator<readonly Link[]>, format: 'csv' | 'ndjson'): Promise<AsyncIterable<string>> => {
  const first = await batches.next()
  const lines = format === 'csv' ? csvLines : ndjsonLines
  const text = (async function* () {
    if (format === 'csv') yield stringify([[...COLUMNS]])
    if (first.done) return
    yield lines(first.value)
    for await (const batch of batches) yield lines(batch)
  })()
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => text.next(),
      // not left to a `finally` in the generator: one that was never begun runs none
      return: async () => {
        await batches.return(undefined)
        return text.return(undefined)
      },
    }),
  }
}
