import { Readable } from 'node:stream'

import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { Answer } from '../layers/route.js'

export const TEXT_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

export const ExportQuery = z.strictObject({
  format: z.enum(['csv', 'ndjson']).default('csv').describe('file format'),
})

/** The text form of an export: its head, then the lines of each batch. */
export interface TextFormat<Batch, Text extends string | Buffer = string> {
  readonly head: string
  readonly lines: (batch: Batch) => Text
}

/** The form of batches that are text already. */
export const inText = <Text extends string | Buffer>({ head } = { head: '' }): TextFormat<Text, Text> => ({
  head,
  lines: (text) => text,
})

/** Whether the client can detect a truncated body. */
interface Client {
  readonly chunked: boolean
}

const needsChunks = (): Refusal =>
  new Refusal('upgrade_required', {
    detail: 'Over HTTP/1.0, a truncated export looks complete. Behind nginx: proxy_http_version 1.1.',
    headers: { Upgrade: 'HTTP/1.1', Connection: 'Upgrade, close' },
  })

/** How long a reader may take for one batch: until it has read the last one, the export occupies a connection. */
const READER_TIMEOUT_MS = 30_000

/**
 * Streams batches as text. The first batch is fetched before this resolves, so that a failing database still gives an
 * error response instead of a broken download after a 200. A reader that disconnects, even before it reads anything,
 * frees the connection; one that takes longer than the timeout for a batch is cut off, which HTTP clients report as an
 * error. A client that could not detect that is refused with `upgrade_required` (426), before anything is opened.
 */
export const exportText = async <Batch>(
  batches: AsyncGenerator<Batch>,
  { head, lines }: TextFormat<Batch, string | Buffer>,
  { chunked }: Client,
  timeoutMs = READER_TIMEOUT_MS,
): Promise<Readable> => {
  if (!chunked) throw needsChunks()
  const first = await batches.next()
  const text = (async function* () {
    if (head !== '') yield head
    if (first.done) return
    yield lines(first.value)
    for await (const batch of batches) yield lines(batch)
  })()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const cutOff = () => readable.destroy(new Error(`an export was cut off: its reader took nothing for ${timeoutMs} ms`))
  const iterator = {
    next: async () => {
      clearTimeout(timer)
      const part = await text.next()
      // the reader may have left meanwhile
      if (part.done !== true && !isOver) timer = setTimeout(cutOff, timeoutMs)
      return part
    },
    // not in a `finally` of the generator, which does not run if the generator was never started
    return: async () => {
      isOver = true
      clearTimeout(timer)
      await batches.return(undefined)
      return text.return(undefined)
    },
  }
  // at most one chunk is buffered
  const readable = Readable.from({ [Symbol.asyncIterator]: () => iterator }, { objectMode: true, highWaterMark: 1 })
  return readable
}

/** The answer with an export: a file for download, `name` without its extension. */
export const exportFile = async <Batch>(
  batches: AsyncGenerator<Batch>,
  form: TextFormat<Batch, string | Buffer>,
  {
    name,
    format,
    client,
  }: { readonly name: string; readonly format: keyof typeof TEXT_TYPES; readonly client: Client },
): Promise<Answer> => ({
  status: 200,
  body: await exportText(batches, form, client),
  type: TEXT_TYPES[format],
  headers: { 'Content-Disposition': `attachment; filename="${name}.${format}"` },
})
