import { Query, types } from 'pg'
import type { ClientBase, Connection, QueryResult, Submittable } from 'pg'

import { SQLSTATE, sqlState } from './errors.js'

/** A statement in the form in which it goes over the wire: what cannot be sent was refused before. */
export interface WireStatement {
  readonly text: string
  readonly values: (string | Buffer | null)[]
  /** the server keeps its plan under this name, for the connection's life */
  readonly name: string | undefined
}

export type StatementResult = Pick<QueryResult, 'rows' | 'rowCount'>

/**
 * Sends statements so that they are one transaction without a begin and a commit, in one packet, and answered in
 * another: the extended protocol with one Sync behind them all (PostgreSQL, "Message Flow", Pipelining). All or
 * nothing; the first that fails rejects with its error. Resolves after the commit was confirmed, with a result for each
 * statement in order.
 *
 * pg by itself sends a Sync behind every statement, so that each is a transaction, is flushed by the server on its own,
 * and wakes this process once more.
 */
export const sendBatch = (
  client: ClientBase,
  statements: readonly WireStatement[],
): Promise<readonly StatementResult[]> =>
  new Promise((resolve, reject) => {
    client.query(
      batchOf(statements, (error, results) => {
        if (error) reject(error)
        else resolve(results)
      }),
    )
  })

/** A column as the server describes it. */
interface Column {
  readonly name: string
  readonly dataTypeID: number
}

/** What pg calls while a query is under way. */
interface Batch extends Submittable {
  /** pg puts its time limit around it */
  callback: (error: Error | null | undefined, results: readonly StatementResult[]) => void
  readonly handleRowDescription: (message: { readonly fields: readonly Column[] }) => void
  readonly handleDataRow: (message: { readonly fields: readonly (string | null)[] }) => void
  readonly handleCommandComplete: (message: { readonly text: string }) => void
  readonly handleEmptyQuery: () => void
  readonly handleError: (error: Error) => void
  readonly handleReadyForQuery: () => void
}

/** A statement that the server has under a name, and the columns of its rows: they are asked for once. */
interface Prepared {
  readonly text: string
  readonly toRow: ToRow
}
type ToRow = (fields: readonly (string | null)[]) => Record<string, unknown>

/** The named statements of a connection; null where a failure leaves open whether the server has one. */
const preparedOn = new WeakMap<Connection, Map<string, Prepared | null>>()

const batchOf = (statements: readonly WireStatement[], callback: Batch['callback']): Batch => {
  let results: StatementResult[] = []
  const rowsOf: ToRow[] = []
  let known = new Map<string, Prepared | null>()
  let rows: Record<string, unknown>[] = []
  /** why a value could not be read; it was committed all the same */
  let unread: { readonly error: unknown } | undefined

  const complete = (rowCount: number | null): void => {
    const statement = statements[results.length]
    const toRow = rowsOf[results.length] ?? noColumns
    if (statement?.name !== undefined && !known.get(statement.name))
      known.set(statement.name, { text: statement.text, toRow })
    results.push({ rows, rowCount })
    rows = []
  }

  const handlers: Batch = {
    callback,
    submit: (connection) => {
      known = preparedOn.get(connection) ?? known
      preparedOn.set(connection, known)
      const texts = new Map<string, string>()
      for (const { name, text } of statements) {
        if (name === undefined) continue
        if ((texts.get(name) ?? known.get(name)?.text ?? text) !== text)
          return new Error(`the statement "${name}" has another text`)
        texts.set(name, text)
      }
      const told = new Set<string>()
      connection.stream.cork()
      try {
        statements.forEach((statement, i) => {
          const toRow = send(connection, known, told, statement)
          if (toRow) rowsOf[i] = toRow
        })
        connection.sync()
      } finally {
        connection.stream.uncork()
      }
      return undefined
    },
    handleRowDescription: ({ fields }) => {
      rowsOf[results.length] = rowReader(fields)
    },
    handleDataRow: ({ fields }) => {
      if (unread) return
      try {
        rows.push((rowsOf[results.length] ?? noColumns)(fields))
      } catch (error) {
        // told when the server has told what became of the transaction: until then the connection is not free
        unread = { error }
      }
    },
    handleCommandComplete: ({ text }) => complete(countOf(text)),
    handleEmptyQuery: () => complete(null),
    handleError: (error) => {
      // whether the server has the one that failed nobody knows: it is told to forget it before it is told it again
      const failed = statements[results.length]?.name
      if (failed !== undefined && (!known.get(failed) || isGone(error))) known.set(failed, null)
      query.callback(error, [])
    },
    handleReadyForQuery: () => {
      // nothing of the answer is left here, for an export is read page by page and the query outlives its page
      const answered = results
      results = []
      if (unread) query.callback(asError(unread.error), [])
      else query.callback(null, answered)
    },
  }
  // a connection that sends without waiting (pipelining) takes no query of another class than pg's own
  const query = Object.assign(new Query(''), handlers)
  return query
}

/**
 * Puts one statement on the wire. Answers how its rows are read where that is known; else the server is asked for its
 * columns.
 */
const send = (
  connection: Connection,
  known: Map<string, Prepared | null>,
  told: Set<string>,
  { text, values, name = '' }: WireStatement,
): ToRow | undefined => {
  const prepared = known.get(name)
  if (prepared === null) connection.close({ type: 'S', name }, true)
  if (!prepared && !told.has(name)) connection.parse({ name, text, types: [] }, true)
  if (name !== '') told.add(name)
  connection.bind({ statement: name, values }, true)
  if (!prepared) connection.describe({ type: 'P', name: '' }, true)
  connection.execute(null, true)
  return prepared?.toRow
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/**
 * A plan whose columns a migration has changed, and a statement that a pooler or DISCARD has taken away, come back when
 * they are told anew.
 */
const isGone = (error: Error): boolean => {
  const state = sqlState(error)
  return state === SQLSTATE.featureNotSupported || state === SQLSTATE.invalidStatementName
}

const noColumns: ToRow = () => ({})

const rowReader = (columns: readonly Column[]): ToRow => {
  const read = columns.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }))
  return (fields) => {
    const row: Record<string, unknown> = {}
    for (const [i, { name, parse }] of read.entries()) {
      const field = fields[i]
      row[name] = field === null || field === undefined ? null : parse(field)
    }
    return row
  }
}

/** The number of rows in a command's tag (`UPDATE 1`, `INSERT 0 1`); null where it names none. */
const countOf = (tag: string): number | null => {
  const count = /\d+$/.exec(tag)?.[0]
  return count === undefined ? null : Number(count)
}
