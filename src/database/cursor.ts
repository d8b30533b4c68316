import type { ClientBase, QueryConfig, QueryResultRow } from 'pg'

/**
 * Takes the rows out of an answer. A query that has a time limit is not let go at once by what let it go: seen from the
 * collector, one hangs on the next until it looks at all of the heap, and with each of them hung what it answered. A
 * long read left there all that it had read.
 */
const takeRows = <Row>({ rows }: { readonly rows: Row[] }): Row[] => rows.splice(0)

/**
 * Rows of one select inside the client's transaction, `batch` at a time: memory stays that of two batches, for the next
 * one is under way while the caller works on this one.
 */
export async function* cursorRows<Row extends QueryResultRow>(
  client: ClientBase,
  select: QueryConfig,
  batch: number,
): AsyncGenerator<readonly Row[]> {
  await client.query({ ...select, text: `declare rows_of_select no scroll cursor for ${select.text}` })
  const fetch = async () => takeRows(await client.query<Row>(`fetch ${batch} from rows_of_select`))
  // A failure of the batch that is under way belongs to the turn that awaits it.
  let next = fetch()
  for (;;) {
    const rows = await next
    if (rows.length === 0) return
    next = fetch()
    next.catch(() => undefined)
    yield rows
  }
}
