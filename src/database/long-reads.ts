import { Client, type ClientBase, type ClientConfig, type QueryResultRow } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

import { Refusal } from '../domain/refusal.js'
import { cursorRows } from './cursor.js'
import type { Database, Reader } from './database.js'
import { databaseAway, isDatabaseAway, translateError } from './errors.js'
import type { DatabaseObserver } from './observer.js'
import type { Statement } from './statement.js'
import { toWire } from './wire.js'

/**
 * How many long reads may run beside a pool of this size. At least two, so that one slow reader cannot lock out
 * everybody.
 */
export const mostLongReads = (poolSize: number): number => Math.max(2, Math.floor(poolSize / 4))

/** The Retry-After of a refused read, and how long a reader's second read is safe from being ended. */
const COME_AGAIN_S = 3
const FORGOTTEN_MS = 10_000

interface LongReadOptions {
  readonly connection: ClientConfig
  /** connections of the pool */
  readonly size: number
  /** timeout for each part of a read: its connection is closed, and the answer is 503 */
  readonly deadlineMs: number
  readonly observer: DatabaseObserver | undefined
}

/** Reads parts inside a transaction. A read that is stopped early may leave the connection unusable. */
type Read<Part> = (client: ClientBase) => AsyncGenerator<Part>

/**
 * Reads that last as long as their reader takes. Each has its own connection, closed at its end, so that exports do not
 * use up the pool. A slow reader makes a statement long, so the server has no statement timeout; the client closes the
 * connection if a part does not arrive within the deadline.
 */
export const openLongReads = ({
  connection,
  size,
  deadlineMs,
  observer,
}: LongReadOptions): Pick<Database, 'stream' | 'copy' | 'parts' | 'close'> => {
  const most = mostLongReads(size)
  const open = new Map<Client, { readonly reader: Reader['id']; readonly startedAt: number }>()
  /** readers refused for lack of a slot, and when last */
  const waiting = new Map<Reader['id'], number>()
  /** ended in favour of other readers */
  const cutOff = new WeakSet<Client>()

  const newClient = (): Client => {
    try {
      // pg reads the files that sslrootcert, sslcert and sslkey name, and throws if one is missing
      const client = new Client({ ...connection, connectionTimeoutMillis: deadlineMs })
      // if the connection breaks between two queries, the next one rejects
      return client.on('error', () => undefined)
    } catch (error) {
      observer?.acquireFailed()
      throw databaseAway(error)
    }
  }

  const connect = async (client: Client): Promise<void> => {
    const startedAt = performance.now()
    try {
      await client.connect()
    } catch (error) {
      observer?.acquireFailed()
      throw databaseAway(error)
    }
    observer?.acquired((performance.now() - startedAt) / 1_000)
  }

  const readOn = async function* <Part>(client: Client, context: Statement, read: Read<Part>): AsyncGenerator<Part> {
    const startedAt = performance.now()
    let failure: unknown
    try {
      yield* withDeadline(inTransaction(client, context, read), deadlineMs, () => void client.end())
    } catch (error) {
      failure = cutOff.has(client)
        ? new Error('an export was cut off: its reader had several, while others had none', { cause: error })
        : translateError(error)
      throw failure
    } finally {
      observer?.queried('stream', (performance.now() - startedAt) / 1_000)
      if (isDatabaseAway(failure)) observer?.lost()
    }
  }

  const heldBy = (id: string) => [...open].filter(([, each]) => each.reader === id)
  /** Forgets refused readers that have not retried for a while. */
  const othersWait = (id: string): boolean => {
    for (const [each, at] of waiting) if (performance.now() - at > FORGOTTEN_MS) waiting.delete(each)
    return [...waiting.keys()].some((each) => each !== id)
  }
  /** The newest read of a reader that has several, if it has run long enough. */
  const findSurplus = (): Client | undefined => {
    for (const { reader } of open.values()) {
      const [client, read] = heldBy(reader).slice(1).at(-1) ?? []
      if (read !== undefined && performance.now() - read.startedAt >= COME_AGAIN_S * 1_000) return client
    }
    return undefined
  }

  /**
   * Throws `exports_busy` if there is no slot for this reader. While a reader waits for a slot, nobody gets a second
   * one, and a reader with several loses one to the first that retries; otherwise a slow reader could lock out
   * everybody else.
   */
  const requireSlot = ({ id }: Reader): void => {
    const hasOne = heldBy(id).length > 0
    if (hasOne && (open.size >= most || othersWait(id)))
      throw busy('You have an export in progress, and others use or need the other slots.')
    if (open.size >= most) {
      const surplus = findSurplus()
      if (surplus === undefined) {
        waiting.set(id, performance.now())
        throw busy(`${most} other exports are in progress.`)
      }
      cutOff.add(surplus)
      open.delete(surplus)
      void end(surplus)
    }
    waiting.delete(id)
  }

  const readLong = async function* <Part>(reader: Reader, read: Read<Part>): AsyncGenerator<Part> {
    requireSlot(reader)
    const client = newClient()
    open.set(client, { reader: reader.id, startedAt: performance.now() })
    try {
      await connect(client)
      yield* readOn(client, reader.enter, read)
    } finally {
      await end(client)
      open.delete(client)
    }
  }

  return {
    stream: <Row extends QueryResultRow>(reader: Reader, select: Statement, batch: number) =>
      readLong(reader, (client) => cursorRows<Row>(client, toWire(select), batch)),
    copy: (reader, copy) =>
      readLong(reader, async function* (client) {
        // prefers a plan that streams: a sort returns nothing until it has read every row
        await client.query('set local enable_sort = off')
        // a reader receives the error by iterating; without a reader it must not end the process
        yield* client.query(copyTo(copy)).on('error', () => undefined)
      }),
    parts: readLong,
    close: async () => {
      await Promise.all([...open.keys()].map(end))
    },
  }
}

const busy = (detail: string) =>
  new Refusal('exports_busy', { detail, headers: { 'Retry-After': String(COME_AGAIN_S) } })

/**
 * All statements of a read share one snapshot. Overrides timeouts of the role or the database. The server checks every
 * second whether the client is still there.
 */
const BEGIN = [
  'begin isolation level repeatable read, read only',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  'set local client_connection_check_interval = 1000',
].join('; ')

const END_TIMEOUT_MS = 1_000

/** Closes a connection, forcibly if the server does not answer in time. */
const end = async (client: Client): Promise<void> => {
  const timer = setTimeout(() => client.connection.stream.destroy(), END_TIMEOUT_MS)
  await client.end().finally(() => clearTimeout(timer))
}

async function* inTransaction<Part>(client: ClientBase, context: Statement, read: Read<Part>): AsyncGenerator<Part> {
  await client.query(BEGIN)
  await client.query(toWire(context))
  yield* read(client)
  await client.query('commit')
}

/** Calls `onTimeout`, which must end the parts, if one takes longer than `ms`. */
async function* withDeadline<Part>(
  parts: AsyncGenerator<Part>,
  ms: number,
  onTimeout: () => void,
): AsyncGenerator<Part> {
  try {
    for (;;) {
      const timer = setTimeout(onTimeout, ms)
      const part = await parts.next().finally(() => clearTimeout(timer))
      if (part.done === true) return
      yield part.value
    }
  } finally {
    await parts.return(undefined)
  }
}
