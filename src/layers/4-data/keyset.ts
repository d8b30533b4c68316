import { Refusal } from '../../domain/refusal.js'

/**
 * A page's end as an opaque text: the sort it belongs to and the last row's key. Keyset pagination: the price of a page
 * does not grow with its number, and rows that come or go between pages neither repeat nor hide others.
 */
export interface Cursor {
  readonly sort: string
  readonly key: string
}

export const formatCursor = ({ sort, key }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, key])).toString('base64url')

const MAX = 400

/** Reads a cursor back. Throws `invalid_query` (400) for one that this service did not make for this sort. */
export const parseCursor = (text: string, sort: string, isKey: (key: string) => boolean): string => {
  try {
    const value: unknown = text.length > MAX ? null : JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (
      Array.isArray(value) &&
      value.length === 2 &&
      value[0] === sort &&
      typeof value[1] === 'string' &&
      isKey(value[1])
    )
      return value[1]
  } catch {
    // falls through to the refusal: what was wrong with an opaque text is nobody's business
  }
  throw new Refusal('invalid_query', {
    errors: [{ field: 'cursor', message: 'must be the next_cursor of a page with the same sort' }],
  })
}
