import { createHash } from 'node:crypto'

import knexFactory from 'knex'
import type { Knex } from 'knex'

import type { ChangeForm } from '../../database/change.js'
import type { Statement } from '../../database/statement.js'
import type { Binding } from './context.js'

/** Knex as a builder alone: it opens no connection; the pool sends what it builds (database/pool.ts). */
export const knex = knexFactory({ client: 'pg' })

/**
 * A query on a table with an owner, bound to what the caller reaches: the second guard beside row-level security, so
 * that the rows are right even where one of the two is wrong. `none` matches nothing.
 */
export const ownerBound = (
  table: string,
  column: string,
  { reach, userId }: { readonly reach: Binding['reach']; readonly userId: FormValue | null },
): Knex.QueryBuilder => {
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
 * The built query as a statement whose plan the server keeps, named after its text. For queries of few forms: each form
 * is kept once a connection, for its life.
 */
export const toKeptStatement = (query: { toSQL(): Knex.Sql }): Statement => {
  const statement = toStatement(query)
  return { ...statement, name: `kept_${createHash('sha256').update(statement.text).digest('base64url').slice(0, 32)}` }
}

/**
 * How COPY writes a row down: its columns as RFC 4180 has them, or its only one, a JSON text, as it is: a control
 * character is always escaped in one (RFC 8259 §7), so that no line holds what would make COPY quote it.
 */
const COPY_FORMATS = {
  csv: 'format csv',
  'json lines': String.raw`format csv, delimiter E'\x01', quote E'\x02'`,
} as const
export type CopyFormat = keyof typeof COPY_FORMATS

/**
 * The built query as a COPY of its rows. A COPY takes no values, so that they stand in its text: whole numbers alone,
 * it throws for everything else.
 */
export const toCopy = (query: Knex.QueryBuilder, format: CopyFormat): string => {
  if (!query.toSQL().bindings.every((value) => /^\d{1,19}$/.test(String(value))))
    throw new Error('a COPY holds whole numbers alone')
  return `copy (${query.toQuery()}) to stdout (${COPY_FORMATS[format]})`
}

/** What stands for a value while a form is built: a mark, or the column that has it for every row. */
export type FormValue = string | Knex.Raw

/** Begins a mark; no value of a request can begin so (U+0000 is refused in all of them). */
const MARK = '\0'

/** The values of a form: their names, and the types that their columns have where there are many. */
export type FormTypes = Readonly<Record<string, 'bigint' | 'text'>>

/** The relation that holds the values of many rows. */
const GIVEN = 'given'

/**
 * A change that Knex builds once for each of its forms, and not for each request: as a statement of one row, and as one
 * of many whose values are the columns of a relation, `given` (null where there is one). `build` sees the shape and,
 * for values, nothing but what stands for them: so a shape is all that a form depends on, and no value of one request
 * can be left in another's. Throws where the query holds a value that is not named.
 */
export const keptForms = <Shape extends object, Types extends FormTypes>(
  types: Types,
  build: (shape: Shape, value: (name: keyof Types & string) => FormValue, given: string | null) => Knex.QueryBuilder,
) => {
  const make = (shape: Shape): ChangeForm => {
    const one = marked(build(shape, (name) => `${MARK}${name}`, null))
    const names = [...new Set(one.names)]
    const given = knex.raw(
      `select * from unnest(${names.map((name) => `?::${types[name]}[]`).join(', ')}) as ${GIVEN}(${names.map(columnOf).join(', ')})`,
      names.map((name) => `${MARK}${name}`),
    )
    const many = marked(build(shape, (name) => knex.raw(columnOf(name)), GIVEN).with(GIVEN, given))
    return {
      name: one.name,
      one: (values) => ({ name: one.name, text: one.text, values: one.names.map((name) => values[name]) }),
      many: (rows) => ({
        name: many.name,
        text: many.text,
        values: many.names.map((name) => rows.map((values) => values[name])),
      }),
    }
  }
  const made = new Map<string, ChangeForm>()
  return (shape: Shape): ChangeForm => {
    const key = JSON.stringify(shape)
    const form = made.get(key) ?? make(shape)
    made.set(key, form)
    return form
  }
}

const columnOf = (name: string): string => `${GIVEN}_${name}`

/** A built query, and the names of its values in their order. */
const marked = (query: { toSQL(): Knex.Sql }) => {
  const { name = '', text, values = [] } = toKeptStatement(query)
  const names = values.map((mark) => {
    if (typeof mark !== 'string' || !mark.startsWith(MARK)) throw new Error('a value of a kept form has no name')
    return mark.slice(MARK.length)
  })
  return { name, text, names }
}
