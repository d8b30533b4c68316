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
export const ownerBound = (table: string, column: string, { reach, userId }: Pick<Binding, 'reach' | 'userId'>): Knex.QueryBuilder => {
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

/** Begins what stands for a value while a form is built; no value of a request can begin so (U+0000 is refused in all of them). */
const MARK = '\0'

/**
 * A query that Knex builds once for each of its forms, and not for each request. `build` sees the shape and, for values, nothing but
 * names: so a shape is all that a form depends on, and no value of one request can be left in another's. Throws where the
 * query holds a value that is not named.
 */
export const keptForms = <Shape extends object>(build: (shape: Shape, value: (name: string) => string) => { toSQL(): Knex.Sql }) => {
  const built = new Map<string, { readonly statement: Statement; readonly names: readonly string[] }>()
  const make = (shape: Shape) => {
    const statement = toKeptStatement(build(shape, (name) => `${MARK}${name}`))
    const names = (statement.values ?? []).map((mark) => {
      if (typeof mark !== 'string' || !mark.startsWith(MARK)) throw new Error('a value of a kept form has no name')
      return mark.slice(MARK.length)
    })
    return { statement, names }
  }
  return (shape: Shape, values: Readonly<Record<string, unknown>>): Statement => {
    const key = JSON.stringify(shape)
    const form = built.get(key) ?? make(shape)
    built.set(key, form)
    return { ...form.statement, values: form.names.map((name) => values[name]) }
  }
}
