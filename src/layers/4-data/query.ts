import { createHash } from 'node:crypto'

import knexFactory, { type Knex } from 'knex'
import { escapeLiteral } from 'pg'

import type { Statement } from '../../database/statement.js'
import type { CollectionReach } from '../../policy/snapshot.js'

/** Knex only builds queries; it opens no connection. The pool sends them (database/pool.ts). */
export const knex = knexFactory({ client: 'pg' })

/** The tables and views whose rows have an owner, and the column that names the owner. */
const OWNER = {
  links: 'owner_id',
  own_links: 'owner_id',
  deleted_links: 'owner_id',
  visit_counts: 'owner_id',
  owner_visit_hours: 'owner_id',
  owner_visit_values: 'owner_id',
  users: 'id',
  personal_tokens: 'user_id',
  account_tokens: 'user_id',
  refresh_tokens: 'user_id',
  invitations: 'invited_by',
  'invitations as i': 'i.invited_by',
} as const

/** The rows that a caller reaches. */
export interface Reached {
  readonly reach: CollectionReach
  /** the caller, who owns the `own` rows; null: no rows */
  readonly userId: string | null
}

type Values = Readonly<Record<string, unknown>>

/**
 * Builds queries on one table, bound to the rows that a caller reaches. The only way to query a table with owners:
 * every query starts from a builder bound to the caller of this request. It is a second guard beside row-level
 * security, so the rows are right even if one of the two is wrong.
 *
 * The function itself is for selects, updates and deletes; with the reach `none`, no row matches.
 */
export const ownedRows = (table: keyof typeof OWNER, { reach, userId }: Reached) => {
  const owner = OWNER[table]
  const rows = (): Knex.QueryBuilder => {
    const query = knex(table)
    if (reach === 'any') return query
    if (reach === 'none' || userId === null) return query.whereRaw('false')
    return reach === 'own' ? query.where(owner, userId) : query.whereRaw('?? is distinct from ?', [owner, userId])
  }
  return Object.assign(rows, {
    /** Inserts a row owned by the caller. */
    insert: (values: Values): Knex.QueryBuilder => knex(table).insert({ ...values, [owner]: userId }),
    /** Inserts rows owned by the caller, all with the same columns; the text is the same for any number of rows. */
    insertAll: (
      all: readonly Values[],
      { onConflict, returning }: { readonly onConflict: string; readonly returning: readonly string[] },
    ): Knex.Raw => {
      const columns = Object.keys(all[0] ?? {}).join(', ')
      // Knex would bind each value of each row as a parameter: thousands of them
      return knex.raw(
        `insert into ${table} (${columns}, ${owner})
         select ${columns}, ?::bigint from jsonb_populate_recordset(null::${table}, ?::jsonb)
         ${onConflict} returning ${returning.join(', ')}`,
        [userId, JSON.stringify(all)],
      )
    },
  })
}

export type OwnedRows = ReturnType<typeof ownedRows>

export const toStatement = (query: { toSQL(): Knex.Sql }): Statement => {
  const { sql, bindings } = query.toSQL().toNative()
  return { text: sql, values: bindings }
}

/**
 * A query as a prepared statement, named after its text. Only for queries with few different texts: the server keeps
 * every prepared statement for the life of the connection.
 */
export const prepared = (query: { toSQL(): Knex.Sql }): Statement => {
  const statement = toStatement(query)
  return { ...statement, name: `knex_${createHash('sha256').update(statement.text).digest('base64url').slice(0, 32)}` }
}

/**
 * How COPY writes a row: as CSV (RFC 4180), or as its only column, a JSON text, unchanged. JSON escapes all control
 * characters (RFC 8259 §7), so no line contains the delimiter or the quote that would make COPY quote it.
 */
const COPY_FORMATS = {
  csv: 'format csv',
  'json lines': String.raw`format csv, delimiter E'\x01', quote E'\x02'`,
} as const
export type CopyFormat = keyof typeof COPY_FORMATS

/** A query as a COPY of its rows. COPY takes no parameters, so they are written into its text as literals. */
export const toCopy = (query: Knex.QueryBuilder, format: CopyFormat): string => {
  const { text, values } = toStatement(query)
  const whole = text.replaceAll(/\$(\d+)/g, (_, n) => literal(values?.[Number(n) - 1]))
  return `copy (${whole}) to stdout (${COPY_FORMATS[format]})`
}

const literal = (value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error('a COPY takes texts and numbers alone')
  return escapeLiteral(String(value))
}
