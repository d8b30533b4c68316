import { Query, types, type ClientBase, type Connection, type QueryResult, type Submittable } from 'pg'

import { SQLSTATE, sqlState } from './errors.js'
import type { WireStatement } from './wire.js'

export type StatementResult = Pick<QueryResult, 'rows' | 'rowCount'>

/**
 * Sends statements as one transaction in one round trip: the extended protocol with a single Sync at the end makes them
 * a transaction without BEGIN and COMMIT (PostgreSQL, "Message Flow", Pipelining). pg itself sends a Sync after every
 * statement. The first failure rejects and rolls back everything. Resolves after the commit, with the results in order.
 */
export const sendBatch = (
  client: ClientBase,
  statements: readonly WireStatement[],
): Promise<readonly StatementResult[]> =>
  new Promise((resolve, reject) => {
    client.query(batchOf(statements, (error, results) => (error ? reject(error) : resolve(results))))
  })

interface Column {
  readonly name: string
  readonly dataTypeID: number
}
type Fields = readonly (string | null)[]
type ToRow = (fields: Fields) => Record<string, unknown>

/** What pg calls while a query runs. */
interface Batch extends Submittable {
  /** pg wraps this in its query timeout */
  callback: (error: Error | null | undefined, results: readonly StatementResult[]) => void
  readonly handleRowDescription: (message: { readonly fields: readonly Column[] }) => void
  readonly handleDataRow: (message: { readonly fields: Fields }) => void
  readonly handleCommandComplete: (message: { readonly text: string }) => void
  readonly handleEmptyQuery: () => void
  readonly handleError: (error: Error) => void
  readonly handleReadyForQuery: () => void
}

/** A prepared statement and the reader of its rows, so that its columns are described only once. */
interface Prepared {
  readonly text: string
  readonly toRow: ToRow
}

/** By their names. The server may have others that it prepared and then failed to run. */
type PreparedByName = Map<string, Prepared>

const preparedOn = new WeakMap<Connection, PreparedByName>()

const batchOf = (statements: readonly WireStatement[], callback: Batch['callback']): Batch => {
  let results: StatementResult[] = []
  const readers: ToRow[] = []
  let prepared: PreparedByName = new Map()
  let rows: Record<string, unknown>[] = []
  let unreadable: Error | undefined

  const complete = (rowCount: number | null): void => {
    const { name, text } = statements[results.length] ?? {}
    const toRow = readers[results.length] ?? noColumns
    if (name !== undefined && text !== undefined && !prepared.has(name)) prepared.set(name, { text, toRow })
    results.push({ rows, rowCount })
    rows = []
  }

  const handlers: Batch = {
    callback,
    submit: (connection) => {
      prepared = preparedOn.get(connection) ?? prepared
      preparedOn.set(connection, prepared)
      const ambiguous = nameOfTwoTexts(statements, prepared)
      if (ambiguous !== undefined) return new Error(`the statement "${ambiguous}" has another text`)
      connection.stream.cork()
      try {
        statements.forEach((statement, i) => {
          const toRow = send(connection, prepared, statement)
          if (toRow) readers[i] = toRow
        })
        connection.sync()
      } finally {
        connection.stream.uncork()
      }
      return undefined
    },
    handleRowDescription: ({ fields }) => {
      readers[results.length] = rowReader(fields)
    },
    handleDataRow: ({ fields }) => {
      if (unreadable) return
      try {
        rows.push((readers[results.length] ?? noColumns)(fields))
      } catch (error) {
        // reported with ReadyForQuery: the connection is busy until then
        unreadable = error instanceof Error ? error : new Error(String(error))
      }
    },
    handleCommandComplete: ({ text }) => complete(countOf(text)),
    handleEmptyQuery: () => complete(null),
    handleError: (error) => {
      const failed = statements[results.length]?.name
      if (failed !== undefined && isStale(error)) prepared.delete(failed)
      query.callback(error, [])
    },
    handleReadyForQuery: () => {
      // pg keeps a query with a timeout reachable: drop the results so that they can be freed
      const answered = results
      results = []
      if (unreadable) query.callback(unreadable, [])
      else query.callback(null, answered)
    },
  }
  // in pipeline mode pg only accepts instances of its own Query
  const query = Object.assign(new Query(''), handlers)
  return query
}

/** The name of a statement that stands for another text, in the batch or on the connection. */
const nameOfTwoTexts = (statements: readonly WireStatement[], prepared: PreparedByName): string | undefined => {
  const texts = new Map<string, string>()
  for (const { name, text } of statements) {
    if (name === undefined) continue
    if ((texts.get(name) ?? prepared.get(name)?.text ?? text) !== text) return name
    texts.set(name, text)
  }
  return undefined
}

/** Sends one statement without a Sync. Returns its row reader if it is known; otherwise it asks for the columns. */
const send = (
  connection: Connection,
  preparedByName: PreparedByName,
  { text, values, name = '' }: WireStatement,
): ToRow | undefined => {
  const prepared = preparedByName.get(name)
  if (prepared === undefined) {
    // the server may have it: from a failure, or from this batch
    if (name !== '') connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
  }
  connection.bind({ statement: name, values }, true)
  if (prepared === undefined) connection.describe({ type: 'P', name: '' }, true)
  connection.execute(null, true)
  return prepared?.toRow
}

/** True if a migration changed the columns of the plan, or a pooler or DISCARD dropped the prepared statement. */
export const isStale = (error: unknown): boolean => {
  const state = sqlState(error)
  return state === SQLSTATE.featureNotSupported || state === SQLSTATE.invalidStatementName
}

const noColumns: ToRow = () => ({})

const rowReader = (columns: readonly Column[]): ToRow => {
  const parsers = columns.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }))
  return (fields) => {
    const row: Record<string, unknown> = {}
    for (const [i, { name, parse }] of parsers.entries()) {
      const field = fields[i]
      row[name] = field === null || field === undefined ? null : parse(field)
    }
    return row
  }
}

/** The row count of a command tag (`UPDATE 1`, `INSERT 0 1`); null if it has none. */
const countOf = (tag: string): number | null => {
  const count = /\d+$/.exec(tag)?.[0]
  return count === undefined ? null : Number(count)
}
