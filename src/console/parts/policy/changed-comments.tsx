import type { PolicyEdit } from '../../api'
import { t } from '../../language/language'
import { rowText } from './row'

/** Changed comments of rows, with the previous text struck through. */
export const ChangedComments = ({ comments }: { readonly comments: PolicyEdit['comments'] }) => (
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
