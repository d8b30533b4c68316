import type { PolicyRow } from '../domain/policy-row.js'
import { rowText, type EditedRow } from './parse-row.js'

/** An admin's comment on a row. It never affects a decision. */
interface RowComment {
  readonly row: PolicyRow
  readonly comment: string
}

/** Comments by the text of their row (`rowText`). */
export type Comments = ReadonlyMap<string, RowComment>

export const NO_COMMENTS: Comments = new Map()

export interface CommentedRows {
  readonly rows: readonly PolicyRow[]
  readonly comments: Comments
}

/** A comment that was added, changed or removed. Null means no comment. */
export interface CommentChange {
  readonly row: PolicyRow
  readonly before: string | null
  readonly after: string | null
}

/** The comments after an edit. */
export const editedComments = (comments: Comments, edited: Iterable<EditedRow>): Comments => {
  const found = new Map(comments)
  for (const { row, comment } of edited) {
    if (comment === null) found.delete(rowText(row))
    else if (comment !== undefined) found.set(rowText(row), { row, comment })
  }
  return found
}

/** Rows and their comments as a file or the database has them. */
export const commentedRows = (all: readonly EditedRow[]): CommentedRows => ({
  rows: all.map(({ row }) => row),
  comments: editedComments(NO_COMMENTS, all),
})

/** The differing comments: first removed or changed ones, then added ones. */
export const commentChanges = (from: Comments, to: Comments): readonly CommentChange[] =>
  [...new Map([...from, ...to])].flatMap(([text, { row }]) => {
    const [before, after] = [from.get(text)?.comment ?? null, to.get(text)?.comment ?? null]
    return before === after ? [] : [{ row, before, after }]
  })

/** Rows as they are shown, with their comments. */
export const withComments = ({ rows, comments }: CommentedRows): readonly PolicyRow[] =>
  comments.size === 0
    ? rows
    : rows.map((row) => {
        const found = comments.get(rowText(row))
        return found === undefined ? row : { ...row, comment: found.comment }
      })
