import type { Knex } from 'knex'

import { knex } from './query.js'

/** Counting ends there: who has more is told this number, at a price that does not grow. */
export const MOST_COUNTED = 10_000

/** Of a query that answers `count`, the number of the rows that another one has, up to MOST_COUNTED. */
export const countOf = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  knex.select(knex.raw('count(*)::int as count')).from(rows.select(knex.raw('1')).limit(MOST_COUNTED).as('counted'))

export interface Counted {
  readonly count: number
}

export const numberIn = (rows: readonly Counted[]): number => rows[0]?.count ?? 0
