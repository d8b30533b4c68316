import { Client } from 'pg'
import type { ClientBase, ClientConfig, QueryResultRow } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

import { Refusal } from '../domain/refusal.js'
import { cursorRows } from './cursor.js'
import type { Database } from './database.js'
import { databaseAway, isDatabaseAway, translateError } from './errors.js'
import type { DatabaseObserver } from './observer.js'
import type { Statement } from './statement.js'
import { toWire } from './wire.js'

/**
 * How many long reads there may be at once beside a pool of so many connections: a quarter as many, and one at the
 * least.
 */
export const mostLongReads = (poolSize: number): number => Math.max(1, Math.floor(poolSize / 4))

export interface LongReadOptions {
  readonly connection: ClientConfig
  /** connections of the pool beside which they are */
  readonly size: number
  /** after this many milliseconds without what was asked for the connection is cut, and the answer is 503 */
  readonly deadlineMs: number
  readonly observer: DatabaseObserver
}

/** What a long read asks once its transaction stands. Let go before its end, it leaves the connection as it is. */
type Read<Part> = (client: ClientBase) => AsyncGenerator<Part>

/**
 * Reads that last as long as their reader takes. Each has a connection of its own, which ends with it: no request waits
 * for a connection that an export has, and nobody comes after them in their session. The server is given no time, for
 * it may be the reader who takes it; but what is asked for comes within the deadline, or the connection is cut.
 */
export const openLongReads = ({
  connection,
  size,
  deadlineMs,
  observer,
}: LongReadOptions): Pick<Database, 'stream' | 'copy' | 'close'> => {
  const most = mostLongReads(size)
  const open = new Set<Client>()

  const connect = async (client: Client): Promise<void> => {
    const asked = performance.now()
    try {
      await client.connect()
    } catch (error) {
      observer.acquireFailed()
      throw databaseAway(error)
    }
    observer.acquired((performance.now() - asked) / 1_000)
  }

  const readOn = async function* <Part>(client: Client, context: Statement, read: Read<Part>): AsyncGenerator<Part> {
    const began = performance.now()
    let failure: unknown
    try {
      yield* withDeadline(inTransaction(client, context, read), deadlineMs, () => void client.end())
    } catch (error) {
      failure = translateError(error)
      throw failure
    } finally {
      observer.asked('stream', (performance.now() - began) / 1_000)
      if (isDatabaseAway(failure)) observer.lost()
    }
  }

  const readLong = async function* <Part>(context: Statement, read: Read<Part>): AsyncGenerator<Part> {
    if (open.size === most) throw new Refusal('exports_busy', { headers: { 'Retry-After': '5' } })
    const client = new Client({ ...connection, connectionTimeoutMillis: deadlineMs })
    // one that is lost between two questions is told by the next
    client.on('error', () => undefined)
    open.add(client)
    try {
      await connect(client)
      yield* readOn(client, context, read)
    } finally {
      await end(client)
      open.delete(client)
    }
  }

  return {
    stream: <Row extends QueryResultRow>(context: Statement, select: Statement, batch: number) =>
      readLong(context, (client) => cursorRows<Row>(client, toWire(select), batch)),
    copy: (context, copy) =>
      readLong(context, async function* (client) {
        // the plan whose first row comes soon, not the one whose last row does: a sort is silent until it has seen all
        // of them
        await client.query('set local enable_sort = off')
        // who reads on is told; where the reader has left, the end of the connection is news to nobody, and no fault of
        // the process
        yield* client.query(copyTo(copy)).on('error', () => undefined)
      }),
    close: async () => {
      await Promise.all([...open].map(end))
    },
  }
}

/**
 * Whatever time the role or the database gives a statement: the reader's is in it. A server that works in silence looks
 * once a second whether its reader is still there.
 */
const BEGIN = [
  'begin isolation level read committed, read only',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  'set local client_connection_check_interval = 1000',
].join('; ')

const GOODBYE_MS = 1_000

/** Ends a connection: in order where nothing is under way, and at once where something is or nobody answers. */
const end = async (client: Client): Promise<void> => {
  let late: NodeJS.Timeout | undefined
  const given = new Promise<void>((resolve) => {
    late = setTimeout(() => {
      client.connection.stream.destroy()
      resolve()
    }, GOODBYE_MS)
  })
  await Promise.race([client.end(), given]).finally(() => clearTimeout(late))
}

async function* inTransaction<Part>(client: ClientBase, context: Statement, read: Read<Part>): AsyncGenerator<Part> {
  await client.query(BEGIN)
  await client.query(toWire(context))
  yield* read(client)
  await client.query('commit')
}

/** Passes parts on. Where one does not come within so many milliseconds of being asked for, `late` has to end them. */
async function* withDeadline<Part>(parts: AsyncGenerator<Part>, ms: number, late: () => void): AsyncGenerator<Part> {
  try {
    for (;;) {
      const timer = setTimeout(late, ms)
      const part = await parts.next().finally(() => clearTimeout(timer))
      if (part.done === true) return
      yield part.value
    }
  } finally {
    await parts.return(undefined)
  }
}
