import { Readable } from 'node:stream'

/** How records are written down: a head for the whole, lines for each batch. */
export interface TextFormat<Batch, Text extends string | Buffer = string> {
  readonly head: string
  readonly lines: (batch: Batch) => Text
}

/**
 * How long a reader may take for a batch, in milliseconds. Their transaction, and the connection under it, stand until
 * the last one, and whoever reads nothing would keep them for ever.
 */
const PATIENCE_MS = 30_000

/**
 * Records as a stream of text, a batch at a time. The first batch is fetched before this resolves: a database that is
 * away is still an error response, and not a download that breaks off after a 200. A reader that goes away, also before
 * it read anything, gives the connection back; one that takes no batch for so long is cut off, which no client of
 * HTTP/1.1 takes for the end.
 */
export const exportText = async <Batch>(
  batches: AsyncGenerator<Batch>,
  { head, lines }: TextFormat<Batch, string | Buffer>,
  patienceMs = PATIENCE_MS,
): Promise<Readable> => {
  const first = await batches.next()
  const text = (async function* () {
    if (head !== '') yield head
    if (first.done) return
    yield lines(first.value)
    for await (const batch of batches) yield lines(batch)
  })()
  let waiting: NodeJS.Timeout | undefined
  const readable = Readable.from(
    {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          clearTimeout(waiting)
          const part = await text.next()
          if (part.done !== true)
            waiting = setTimeout(
              () => readable.destroy(new Error(`an export was cut off: its reader took nothing for ${patienceMs} ms`)),
              patienceMs,
            )
          return part
        },
        // not left to a `finally` in the generator: one that was never begun runs none
        return: async () => {
          clearTimeout(waiting)
          await batches.return(undefined)
          return text.return(undefined)
        },
      }),
      // the log's texts and a COPY's bytes, each written as it is: nothing is put together here. One of them waits at
      // the most.
    },
    { objectMode: true, highWaterMark: 1 },
  )
  return readable
}

/** Media types of exports. */
export const TEXT_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const
