import { Pool } from 'pg'
import type { ClientConfig, PoolClient, QueryResultRow } from 'pg'

import { sendBatch } from './batch.js'
import type { WireStatement } from './batch.js'
import type { Database } from './database.js'
import { databaseAway, isDatabaseAway, translateError } from './errors.js'
import { openLongReads } from './long-reads.js'
import type { DatabaseObserver, QuestionKind } from './observer.js'
import type { Statement } from './statement.js'
import { toKeptWire, toWire } from './wire.js'

export interface PoolOptions {
  readonly connection: ClientConfig
  /** connections at the most */
  readonly size: number
  /** true behind a pooler in transaction mode: statements have no names, for the next one may meet another session */
  readonly pooled?: boolean
  /** after this many milliseconds a question is given up: the connection is cut, and the answer is 503 */
  readonly deadlineMs: number
  /** told of a connection that was lost while nobody used it */
  readonly onIdleError?: (error: Error) => void
  /** told how long questions waited and took */
  readonly observer?: DatabaseObserver
}

/** Connections now, and questions that wait for one. */
export interface PoolStats {
  readonly total: number
  readonly idle: number
  readonly waiting: number
  readonly limit: number
}

/** The database behind a pool of this process. */
export interface PooledDatabase extends Database {
  stats(): PoolStats
}

const NOBODY: DatabaseObserver = {
  acquired: () => undefined,
  acquireFailed: () => undefined,
  asked: () => undefined,
  lost: () => undefined,
}

const BEGIN = 'begin isolation level read committed'

/** Opens a pool whose connections send without waiting (pipelining). Connects with the first question, not before. */
export const openPool = ({
  connection,
  size,
  pooled = false,
  deadlineMs,
  onIdleError,
  observer = NOBODY,
}: PoolOptions): PooledDatabase => {
  const wire = pooled ? toWire : toKeptWire
  const pool = new Pool({
    ...connection,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    // What the caller gave up the server gives up, too: what waited for a lock must not commit once it is had. A pooler
    // takes no such setting.
    ...(pooled ? {} : { statement_timeout: deadlineMs }),
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: false,
  })
  // Without a listener a connection that is lost while idle would end the process; so would one that is lost while
  // somebody uses it, between two of their questions. Those are told by the next question, which fails.
  pool.on('error', (error) => {
    observer.lost()
    onIdleError?.(error)
  })
  pool.on('connect', (client) => client.on('error', () => undefined))

  const withClient = async <T>(kind: QuestionKind, work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const asked = performance.now()
    const client = await pool.connect().catch((error: unknown) => {
      observer.acquireFailed()
      throw databaseAway(error)
    })
    const began = performance.now()
    observer.acquired((began - asked) / 1_000)
    let failure: unknown
    try {
      return await work(client)
    } catch (error) {
      failure = translateError(error)
      throw failure
    } finally {
      observer.asked(kind, (performance.now() - began) / 1_000)
      if (isDatabaseAway(failure)) observer.lost()
      giveBack(client, failure)
    }
  }

  const send = async (statements: readonly WireStatement[]) =>
    withClient('flush', async (client) => sendBatch(client, statements))

  const longReads = openLongReads({ connection, size, deadlineMs, observer })

  return Object.freeze({
    run: async <Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]> =>
      withClient('run', async (client) => (await sendBatch(client, [wire(statement)]))[0]?.rows ?? []),

    // all of them in their final form first: what cannot be sent must leave nothing on the wire
    flush: async (statements: readonly Statement[]) => send(statements.map(wire)),

    transaction: async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> =>
      withClient('transaction', async (client) => {
        await client.query(BEGIN)
        try {
          const result = await work(client)
          await commit(client)
          return result
        } catch (error) {
          // a connection that cannot roll back is not idle, so it is not used again
          await client.query('rollback').catch(() => undefined)
          throw error
        }
      }),

    stream: longReads.stream,
    copy: longReads.copy,

    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, limit: size }),

    close: async () => {
      await longReads.close()
      await pool.end()
    },
  })
}

/**
 * Ends a connection that is still inside a transaction (it would lend its caller's identity to the next request), or
 * whose answer never came (what it says next belongs to a question that nobody waits for any more).
 */
const giveBack = (client: PoolClient, failure: unknown): void => {
  client.release(client.getTransactionStatus() !== 'I' || isDatabaseAway(failure))
}

/** COMMIT of a transaction that has failed resolves, with the command `ROLLBACK`. */
const commit = async (client: PoolClient): Promise<void> => {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the server')
}
