import type { PolicyRow } from '../domain/policy-row.js'
import { rowText } from './parse-row.js'
import type { EditedRow } from './parse-row.js'

/** What admins say of a row. It decides nothing. */
interface RowComment {
  readonly row: PolicyRow
  readonly comment: string
}

/** Comments, each under the text of its row (`rowText`). */
export type Comments = ReadonlyMap<string, RowComment>

export const NO_COMMENTS: Comments = new Map()

/** Rows, and what is said of them. */
export interface CommentedRows {
  readonly rows: readonly PolicyRow[]
  readonly comments: Comments
}

/** A comment that came, changed or went; null: there is none. */
export interface CommentChange {
  readonly row: PolicyRow
  readonly before: string | null
  readonly after: string | null
}

/** What is said of rows once these are edited. */
export const editedComments = (comments: Comments, edited: Iterable<EditedRow>): Comments => {
  const found = new Map(comments)
  for (const { row, comment } of edited) {
    if (comment === null) found.delete(rowText(row))
    else if (comment !== undefined) found.set(rowText(row), { row, comment })
  }
  return found
}

/** The comments that differ: those that went or changed, then those that came. */
export const commentChanges = (from: Comments, to: Comments): readonly CommentChange[] =>
  [...new Map([...from, ...to])].flatMap(([text, { row }]) => {
    const [before, after] = [from.get(text)?.comment ?? null, to.get(text)?.comment ?? null]
    return before === after ? [] : [{ row, before, after }]
  })

/** Rows as they are shown: each with its comment, where there is one. */
export const withComments = ({ rows, comments }: CommentedRows): readonly PolicyRow[] =>
  comments.size === 0
    ? rows
    : rows.map((row) => {
        const found = comments.get(rowText(row))
        return found === undefined ? row : { ...row, comment: found.comment }
      })
