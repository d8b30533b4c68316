import { createHash } from 'node:crypto'

import knexFactory from 'knex'
import type { Knex } from 'knex'

import type { Statement } from '../../database/database.js'
import type { Binding } from './context.js'

/** Knex as a builder alone: it opens no connection; the pool sends what it builds (database/pool.ts). */
export const knex = knexFactory({ client: 'pg' })

/**
 * A query on a table with an owner, bound to what the caller reaches: the second guard beside row-level security, so that
 * the rows are right even where one of the two is wrong. `none` matches nothing.
 */
export const ownerBound = (table: string, column: string, { reach, userId }: Binding): Knex.QueryBuilder => {
  const query = knex(table)
  if (reach === 'any') return query
  return reach === 'own' && userId !== null ? query.where(column, userId) : query.whereRaw('false')
}

/** The built query as a statement. A name, given where the text is always the same, lets the server keep its plan. */
export const toStatement = (query: { toSQL(): Knex.Sql }, name?: string): Statement => {
  const { sql, bindings } = query.toSQL().toNative()
  return { text: sql, values: bindings, ...(name === undefined ? {} : { name }) }
}

/**
 * The built query as a statement whose plan the server keeps, named after its text. For queries of few forms: each form is kept
 * once a connection, for its life.
 */
export const toKeptStatement = (query: { toSQL(): Knex.Sql }): Statement => {
  const statement = toStatement(query)
  return { ...statement, name: `kept_${createHash('sha256').update(statement.text).digest('base64url').slice(0, 32)}` }
}
