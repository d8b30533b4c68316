/** How records are written down: a head for the whole, lines for each batch. */
export interface TextFormat<Row> {
  readonly type: string
  readonly head: string
  readonly lines: (rows: readonly Row[]) => string
}

/**
 * Records as text, a batch at a time. The first batch is fetched before this resolves: a database that is away is still an error
 * response, and not a download that breaks off after a 200. A reader that goes away, also before it read anything, gives the
 * connection back.
 */
export const exportText = async <Row>(batches: AsyncGenerator<readonly Row[]>, { head, lines }: TextFormat<Row>): Promise<AsyncIterable<string>> => {
  const first = await batches.next()
  const text = (async function* () {
    if (head !== '') yield head
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

export const ndjson = <Row>(shape: (row: Row) => object): TextFormat<Row> => ({
  type: 'application/x-ndjson', head: '', lines: (rows) => rows.map((row) => `${JSON.stringify(shape(row))}\n`).join(''),
})
