import type { ClientBase, QueryResult, QueryResultRow } from 'pg'

import type { Statement } from './statement.js'

/** Sends a statement on a transaction's connection, unprepared. */
export const sendTo = <Row extends QueryResultRow>(
  client: Pick<ClientBase, 'query'>,
  { text, values = [] }: Statement,
): Promise<QueryResult<Row>> => client.query<Row>(text, [...values])
