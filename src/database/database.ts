import type { ClientBase, PoolClient, QueryResultRow } from 'pg'

import type { Deadline } from '../domain/deadline.js'
import type { StatementResult } from './batch.js'
import type { Statement } from './statement.js'

/** The owner of a long read, and the statement that starts a transaction as this reader. */
export interface Reader {
  /**
   * a reader always keeps one of the few slots for long reads; its others may be ended in favour of a reader without
   * one
   */
  readonly id: string
  readonly enter: Statement
}

/**
 * PostgreSQL as the rest of the program sees it. A lost or refused connection is `Refusal('database_unavailable')`;
 * other errors are pg's `DatabaseError` with its SQLSTATE.
 */
export interface Database {
  /** Sends one statement outside a transaction, as the service's login role. Returns its rows. */
  run<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]>

  /**
   * As `run`, for a look-up by keys: a fast one that changes nothing. Look-ups that are sent in one go
   * (in-one-turn.ts) share a connection and a round trip; if one fails, all do.
   */
  lookUp<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]>

  /**
   * Sends the statements as one transaction in one round trip. The first that fails rejects, and nothing is kept.
   * Resolves after the commit, with a result for each statement in order. With a deadline nothing commits after it:
   * `deadline_exceeded`.
   */
  flush(statements: readonly Statement[], deadline?: Deadline): Promise<readonly StatementResult[]>

  /** An interactive transaction, for policy edits and the log. Rolls back if `work` throws. Deadline as in `flush`. */
  transaction<T>(work: (client: PoolClient) => Promise<T>, deadline?: Deadline): Promise<T>

  /**
   * The rows of a long select through a server-side cursor, `batch` at a time, in a transaction of the reader's. Memory
   * holds two batches. Stopping early closes the connection. 503 `exports_busy` if too many run.
   */
  stream<Row extends QueryResultRow>(reader: Reader, select: Statement, batch: number): AsyncGenerator<readonly Row[]>

  /**
   * The output of a COPY … TO STDOUT, in a transaction of the reader's. A row may span two chunks. An ORDER BY needs
   * an index. The server waits for the reader, so memory does not grow. Ends and fails like `stream`.
   */
  copy(reader: Reader, copy: string): AsyncGenerator<Buffer>

  /**
   * Streams what `read` yields from one snapshot of the database, in a transaction of the reader's. Ends and fails like
   * `stream`.
   */
  parts<Part>(reader: Reader, read: (client: ClientBase) => AsyncGenerator<Part>): AsyncGenerator<Part>

  close(): Promise<void>
}
