import DataLoader from 'dataloader'
import { Pool, type ClientConfig, type PoolClient, type QueryResultRow } from 'pg'

import { deadlineExceeded, type Deadline } from '../domain/deadline.js'
import { isStale, sendBatch, type StatementResult } from './batch.js'
import type { Database } from './database.js'
import { SQLSTATE, databaseAway, isDatabaseAway, sqlState, translateError } from './errors.js'
import { openLongReads } from './long-reads.js'
import type { DatabaseObserver, QueryKind } from './observer.js'
import { REQUIRE_IN_TIME, endedByDeadline, startDeadline } from './server-deadline.js'
import type { Statement } from './statement.js'
import { toNamedWire, toWire, type WireStatement } from './wire.js'

interface PoolOptions {
  readonly connection: ClientConfig
  /** connections at most */
  readonly size: number
  /** true behind a pooler in transaction mode: no prepared statements, since each may reach another session */
  readonly pooled?: boolean
  /** timeout of a query: its connection is closed, and the answer is 503 */
  readonly deadlineMs: number
  /** called when an idle connection is lost */
  readonly onIdleError?: (error: Error) => void
  readonly observer?: DatabaseObserver
}

/** The current connections, and how many queries wait for one. */
export interface PoolStats {
  readonly total: number
  readonly idle: number
  readonly waiting: number
  readonly limit: number
}

export interface PooledDatabase extends Database {
  stats(): PoolStats
}

/** Opens a pool of pipelining connections. It connects at the first query. */
export const openPool = ({
  connection,
  size,
  pooled = false,
  deadlineMs,
  onIdleError,
  observer,
}: PoolOptions): PooledDatabase => {
  const wire = pooled ? toWire : toNamedWire
  const pool = new Pool({
    ...connection,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    // The server gives up with the client: a statement that waits for a lock must not commit after the 503. Poolers
    // do not accept this option.
    ...(pooled ? {} : { statement_timeout: deadlineMs }),
    idleTimeoutMillis: 30_000,
    // tells both sides of a peer that is gone
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // Without listeners a connection that is lost while idle, or between two queries, would end the process. In the
  // second case the next query rejects.
  pool.on('error', (error) => {
    observer?.lost()
    onIdleError?.(error)
  })
  const open = new Set<PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    open.add(client)
    client.once('end', () => open.delete(client))
  })

  // async, because pg throws if a file is missing that sslrootcert, sslcert or sslkey names
  const connect = async () => pool.connect()

  const withClient = async <T>(
    kind: QueryKind,
    work: (client: PoolClient) => Promise<T>,
    deadline?: Deadline,
  ): Promise<T> => {
    const startedAt = performance.now()
    const client = await connect().catch((error: unknown) => {
      observer?.acquireFailed()
      throw databaseAway(error)
    })
    const acquiredAt = performance.now()
    observer?.acquired((acquiredAt - startedAt) / 1_000)
    let failure: unknown
    try {
      return await work(client)
    } catch (error) {
      const isLate = deadline !== undefined && endedByDeadline(client, error)
      failure = isLate ? deadlineExceeded({ cause: error }) : translateError(ofReadOnly(error))
      throw failure
    } finally {
      observer?.queried(kind, (performance.now() - acquiredAt) / 1_000)
      const isAway = isDatabaseAway(failure)
      if (isAway) observer?.lost()
      // Closed if a transaction is open, which would lend its caller's identity to the next request, or if its answer
      // never came, which the next query would receive.
      client.release(client.getTransactionStatus() !== 'I' || isAway)
    }
  }

  // for statements that bring no deadline along, where the connection could not have one
  const bound = pooled ? [wire({ text: TIMEOUT, values: [String(deadlineMs)] })] : []
  const sendBounded = async (client: PoolClient, statements: readonly WireStatement[]) =>
    (await send(client, [...bound, ...statements])).slice(bound.length)

  const lookUps = new DataLoader<Statement, StatementResult>(
    (statements) => {
      const encoded = statements.map(wire)
      return withClient('run', (client) => sendBounded(client, encoded))
    },
    { cache: false, batchScheduleFn: process.nextTick },
  )

  const { close: closeLongReads, ...longReads } = openLongReads({ connection, size, deadlineMs, observer })

  return Object.freeze({
    run: async <Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]> =>
      withClient('run', async (client) => (await sendBounded(client, [wire(statement)]))[0]?.rows ?? []),

    lookUp: async <Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]> =>
      (await lookUps.load(statement)).rows,

    flush: async (statements: readonly Statement[], deadline?: Deadline) => {
      // all are encoded before any is sent
      const encoded = statements.map(wire)
      return withClient(
        'flush',
        async (client) => {
          if (deadline === undefined) return sendBounded(client, encoded)
          const bounded = [wire(await startDeadline(client, deadline)), ...encoded, wire(REQUIRE_IN_TIME)]
          return (await deadline.awaitOutcome(() => send(client, bounded))).slice(1, -1)
        },
        deadline,
      )
    },

    transaction: async <T>(work: (client: PoolClient) => Promise<T>, deadline?: Deadline): Promise<T> =>
      withClient(
        'transaction',
        async (client) => {
          await client.query('begin isolation level read committed')
          try {
            if (deadline === undefined) await client.query(BOUND_PAUSES)
            else {
              const { text, values } = await startDeadline(client, deadline)
              await client.query(text, values)
            }
            const result = await work(client)
            await (deadline === undefined ? commit(client) : deadline.awaitOutcome(() => commit(client, deadline)))
            return result
          } catch (error) {
            // a connection that cannot roll back is not idle, so release closes it
            await client.query('rollback').catch(() => undefined)
            throw error
          }
        },
        deadline,
      ),

    ...longReads,

    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, limit: size }),

    close: async () => {
      await closeLongReads()
      await pool.end()
      // behind a dead network no server closes its end, and the process would not exit
      setTimeout(() => open.forEach((client) => client.connection.stream.destroy()), END_TIMEOUT_MS).unref()
    },
  })
}

/** Sends a batch, and once more if it was rolled back because a migration has changed what a function returns. */
const send = (client: PoolClient, statements: readonly WireStatement[]): Promise<readonly StatementResult[]> =>
  sendBatch(client, statements).catch((error: unknown) => {
    if (!isStale(error)) throw error
    return sendBatch(client, statements)
  })

/** How long a server may take to close its end of a connection. */
const END_TIMEOUT_MS = 1_000

/** Limits each statement of a transaction. */
const TIMEOUT = "select set_config('statement_timeout', $1, true)"

/** Ends a transaction without a deadline whose process has stopped between two statements, and so its locks. */
const BOUND_PAUSES = "set local idle_in_transaction_session_timeout = '1min'"

/**
 * A read-only server (a standby, or a primary whose administrator allows no changes) is as good as away to a change.
 * Long reads, which are read-only themselves, do not ask this: there it is a fault of ours.
 */
const ofReadOnly = (error: unknown): unknown =>
  sqlState(error) === SQLSTATE.readOnlyTransaction ? databaseAway(error) : error

/**
 * Commits, unless the deadline has passed. The server checks that together with the commit, since both may reach it
 * late. COMMIT of a failed transaction succeeds, with the command tag `ROLLBACK`.
 */
const commit = async (client: PoolClient, deadline?: Deadline): Promise<void> => {
  const inTime = deadline && client.query(REQUIRE_IN_TIME.text)
  const [, { command }] = await Promise.all([inTime, client.query('commit')])
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the server')
}
