import type { ClientBase, QueryResult, QueryResultRow } from 'pg'

/** One SQL statement. With a name it is prepared once per connection. */
export interface Statement {
  readonly text: string
  /** scalars, and arrays of them */
  readonly values?: readonly unknown[]
  readonly name?: string
}

/** Runs the rest of a transaction as a role and a user. Without a user, no row with an owner matches. */
export const enter = (role: string, userId: string | null): Statement => ({
  name: 'enter',
  text: 'select enter($1, $2)',
  values: [role, userId],
})

/** Sends a statement on a transaction's connection, unprepared. */
export const sendTo = <Row extends QueryResultRow>(
  client: Pick<ClientBase, 'query'>,
  { text, values = [] }: Statement,
): Promise<QueryResult<Row>> => client.query<Row>(text, [...values])
