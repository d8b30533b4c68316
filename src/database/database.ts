import type { PoolClient, QueryResultRow } from 'pg'

import type { StatementResult } from './batch.js'
import type { Statement } from './statement.js'

/**
 * PostgreSQL as the rest of the program sees it. Errors: a lost or refused connection is
 * `Refusal('database_unavailable')`; everything else is pg's own `DatabaseError` with its SQLSTATE.
 */
export interface Database {
  /** Sends one statement outside a transaction, as the service's login role. Returns its rows. */
  run<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]>

  /**
   * Sends the statements as one transaction in one flush: one network round trip. All or nothing: the first statement
   * that fails rejects the flush with its error and nothing is kept. Resolves only after the commit was confirmed, with
   * a result for each statement in order.
   */
  flush(statements: readonly Statement[]): Promise<readonly StatementResult[]>

  /** A transaction with questions in between (policy edits, migrations of data). Rolls back where `work` throws. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>

  /**
   * Rows of one long select, fetched `batch` at a time behind a server-side cursor in one transaction that begins
   * with `context`: memory stays that of two batches. Stopping early ends the connection. `exports_busy` (503) where as
   * many run at once as may.
   */
  stream<Row extends QueryResultRow>(
    context: Statement,
    select: Statement,
    batch: number,
  ): AsyncGenerator<readonly Row[]>

  /**
   * What a COPY … TO STDOUT writes, in pieces as they come, in one transaction that begins with `context`. A row may be
   * cut between two pieces. The server waits for the reader: memory does not grow. An order has to be an index's. Stops
   * as `stream` does, and is refused as it is.
   */
  copy(context: Statement, copy: string): AsyncGenerator<Buffer>

  close(): Promise<void>
}
