import { createHash } from 'node:crypto'

import knexFactory from 'knex'
import type { Knex } from 'knex'

import type { Statement } from '../../database/statement.js'
import type { CollectionReach } from '../../policy/snapshot.js'

/** Knex as a builder alone: it opens no connection; the pool sends what it builds (database/pool.ts). */
export const knex = knexFactory({ client: 'pg' })

/** What a caller reaches: which rows, and whose. */
export interface Reached {
  readonly reach: CollectionReach
  /** whose rows; null: nobody's */
  readonly userId: string | null
}

/** Queries on one table, bound to the rows that a caller reaches. */
export interface OwnedRows {
  /** selects, updates and deletes; `none` matches nothing */
  (): Knex.QueryBuilder
  /** inserts a row of the caller's own */
  insert(values: Readonly<Record<string, unknown>>): Knex.QueryBuilder
  /** inserts rows of the caller's own, all with the same columns, in one statement of one form */
  insertAll(
    rows: readonly Readonly<Record<string, unknown>>[],
    clauses: { readonly onConflict: string; readonly returning: readonly string[] },
  ): Knex.Raw
}

/**
 * The way to a table with owners: every query starts from a builder that is bound to the caller for this request. It is
 * the second guard beside row-level security, so that the rows are right even where one of the two is wrong.
 */
export const ownedRows = (table: string, owner: string, { reach, userId }: Reached): OwnedRows =>
  Object.assign(
    () => {
      const query = knex(table)
      if (reach === 'any') return query
      return reach === 'own' && userId !== null ? query.where(owner, userId) : query.whereRaw('false')
    },
    {
      insert: (values: Readonly<Record<string, unknown>>) => knex(table).insert({ ...values, [owner]: userId }),
      insertAll: (
        rows: readonly Readonly<Record<string, unknown>>[],
        { onConflict, returning }: { readonly onConflict: string; readonly returning: readonly string[] },
      ) => {
        const columns = Object.keys(rows[0] ?? {}).join(', ')
        // Knex would write each value of each row as one of the statement's: thousands of them
        return knex.raw(
          `insert into ${table} (${columns}, ${owner})
           select ${columns}, ?::bigint from jsonb_populate_recordset(null::${table}, ?::jsonb)
           ${onConflict} returning ${returning.join(', ')}`,
          [userId, JSON.stringify(rows)],
        )
      },
    },
  )

/** The built query as a statement. */
export const toStatement = (query: { toSQL(): Knex.Sql }): Statement => {
  const { sql, bindings } = query.toSQL().toNative()
  return { text: sql, values: bindings }
}

/**
 * The built query as a prepared statement, named after its text. For queries of few forms: the server keeps the plan of
 * each form for the connection's life.
 */
export const prepared = (query: { toSQL(): Knex.Sql }): Statement => {
  const statement = toStatement(query)
  return { ...statement, name: `knex_${createHash('sha256').update(statement.text).digest('base64url').slice(0, 32)}` }
}

/**
 * How COPY writes a row: its columns as RFC 4180 has them; or its only column, a JSON text, as it is. JSON escapes
 * every control character (RFC 8259 §7), so no line holds what would make COPY quote it.
 */
const COPY_FORMATS = {
  csv: 'format csv',
  'json lines': String.raw`format csv, delimiter E'\x01', quote E'\x02'`,
} as const
export type CopyFormat = keyof typeof COPY_FORMATS

/** The built query as a COPY of its rows. COPY takes no values: whole numbers stand in its text, all else throws. */
export const toCopy = (query: Knex.QueryBuilder, format: CopyFormat): string => {
  if (!query.toSQL().bindings.every((value) => /^\d{1,19}$/.test(String(value)))) {
    throw new Error('a COPY holds whole numbers alone')
  }
  return `copy (${query.toQuery()}) to stdout (${COPY_FORMATS[format]})`
}
