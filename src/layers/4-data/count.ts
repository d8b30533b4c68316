import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import { MOST_COUNTED } from '../../domain/counted.js'
import { read, type ReadIdentity } from './context.js'
import { knex } from './query.js'

/** A query that returns how many rows another query has, as `count`, up to MOST_COUNTED. */
export const countOf = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  knex.select(knex.raw('count(*)::int as count')).from(rows.select(knex.raw('1')).limit(MOST_COUNTED).as('counted'))

export interface CountRow {
  readonly count: number
}

export const numberIn = (rows: readonly CountRow[]): number => rows[0]?.count ?? 0

/** Counts a query's rows as the caller, up to MOST_COUNTED. */
export const countRows = async (database: Database, binding: ReadIdentity, rows: Knex.QueryBuilder): Promise<number> =>
  numberIn(await read<CountRow>(database, binding, countOf(rows)))
