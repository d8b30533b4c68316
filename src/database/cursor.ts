import type { ClientBase, QueryConfig, QueryResultRow } from 'pg'

/**
 * The rows of a select, `batch` at a time, inside the client's transaction. The next batch is fetched while the caller
 * works on the current one, so memory holds two.
 */
export async function* cursorRows<Row extends QueryResultRow>(
  client: ClientBase,
  select: QueryConfig,
  batch: number,
): AsyncGenerator<readonly Row[]> {
  await client.query({ ...select, text: `declare rows_of_select no scroll cursor for ${select.text}` })
  const fetch = async () => {
    const { rows } = await client.query<Row>(`fetch ${batch} from rows_of_select`)
    // pg keeps queries with a timeout reachable; empty `rows` so that pages can be freed
    return rows.splice(0)
  }
  let next = fetch()
  for (;;) {
    const rows = await next
    if (rows.length === 0) break
    next = fetch()
    // its failure is thrown by the `await` above
    next.catch(() => undefined)
    yield rows
  }
  // the transaction may go through another select
  await client.query('close rows_of_select')
}
