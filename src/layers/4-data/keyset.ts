import type { Knex } from 'knex'

import { isId } from '../../domain/id.js'
import { Refusal } from '../../domain/refusal.js'

/**
 * Keyset pagination: a page costs the same at any depth, and rows inserted or deleted between pages neither repeat nor
 * hide others. A cursor is opaque text made of the sort and the last row's key.
 */
export interface Page<Row> {
  readonly data: readonly Row[]
  /** null on the last page */
  readonly next_cursor: string | null
}

/** A page of `limit` rows, from `limit + 1` queried rows: the extra one shows that there is a next page. */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  sort: string,
  keyOf: (row: Row) => string,
): Page<Row> => {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? formatCursor(sort, keyOf(last)) : null }
}

/** Which page of a list is asked for. */
export interface PageQuery {
  /** how many rows at most */
  readonly limit: number
  /** the `next_cursor` of the page before; undefined: the first page */
  readonly cursor?: string | undefined
}

/** A list that is sorted by its ids, newest first. `list` names it: a cursor of another list is refused. */
export const newestFirst = (list: string, column = 'id') => {
  const sort = `${list} -id`
  return {
    /** Selects the rows of a page, plus one more. */
    select: (rows: Knex.QueryBuilder, { limit, cursor }: PageQuery): Knex.QueryBuilder => {
      const page = rows.orderBy(column, 'desc').limit(limit + 1)
      return cursor === undefined ? page : page.where(column, '<', parseCursor(cursor, sort, isId))
    },
    pageOf: <Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Page<Row> =>
      pageOf(rows, limit, sort, ({ id }) => id),
  }
}

const formatCursor = (sort: string, key: string): string =>
  Buffer.from(JSON.stringify([sort, key])).toString('base64url')

/** The key of a row in a list sorted by time. Rows of the same millisecond are sorted by id. */
export const timeAndId = (time: string, id: string): string => `${time} ${id}`

/** Whether a text is a `timeAndId` key: a time in UTC with milliseconds, from 1970 to 9999, and an id. */
export const isTimeAndId = (key: string): boolean => {
  const [time = '', id, ...more] = key.split(' ')
  return isTime(time) && isId(id) && more.length === 0
}

/** PostgreSQL refuses dates that do not exist, which `Date.parse` moves to the next month. */
const isTime = (text: string): boolean => {
  const at = Date.parse(text)
  return at >= 0 && text.length === '2026-11-01T09:00:00.000Z'.length && new Date(at).toISOString() === text
}

const LONGEST_CURSOR = 400

/** The key in a cursor. Throws `invalid_query` (400) for a cursor that this service did not issue for this sort. */
export const parseCursor = (text: string, sort: string, isKey: (key: string) => boolean): string => {
  try {
    const value: unknown =
      text.length > LONGEST_CURSOR ? null : JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const isOurs = Array.isArray(value) && value.length === 2 && value[0] === sort
    if (isOurs && typeof value[1] === 'string' && isKey(value[1])) return value[1]
  } catch {
    // refused below, without a reason: a cursor is opaque
  }
  throw new Refusal('invalid_query', {
    errors: [{ field: 'cursor', message: 'must be the next_cursor of a page of this list, with the same sort' }],
  })
}
