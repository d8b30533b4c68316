import { t } from '../../language/language'
import { rowText, type SentRow } from './row'

export interface CommentChange {
  readonly row: SentRow
  readonly before: string | null
  readonly after: string | null
}

/** Changed comments of rows, with the previous text struck through. */
export const ChangedComments = ({ comments }: { readonly comments: readonly CommentChange[] }) => (
  <ul class="changed-comments">
    {comments.map(({ row, before, after }) => (
      <li key={rowText(row)}>
        <code class="raw">{rowText(row)}</code>
        {before !== null && (
          <del>
            <span class="unseen">{t.policy.before} </span>
            {before}
          </del>
        )}
        {after !== null && (
          <ins>
            <span class="unseen">{t.policy.after} </span>
            {after}
          </ins>
        )}
      </li>
    ))}
  </ul>
)
