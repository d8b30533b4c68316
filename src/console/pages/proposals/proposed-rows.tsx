import type { PolicyProposal } from '../../api'
import { t } from '../../language/language'
import { ChangedComments } from '../../parts/policy/changed-comments'
import { rowText, type SentRow } from '../../parts/policy/row'
import { rowWords } from '../../parts/policy/row-words'

/** A comment in file format, as above its row. */
const asLines = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')

/** The rows of an edit in file format, with their comments, and in words. */
export const ProposedRows = ({
  of: { added, removed, comments },
}: {
  readonly of: Pick<PolicyProposal, 'added' | 'removed' | 'comments'>
}) => {
  const said = new Map(comments.map(({ row, before, after }) => [rowText(row), { before, after }]))
  const listed = new Set([...added, ...removed].map(rowText))
  const others = comments.filter(({ row }) => !listed.has(rowText(row)))
  const line = (row: SentRow, isAdded: boolean) => {
    const text = rowText(row)
    const comment = said.get(text)?.[isAdded ? 'after' : 'before'] ?? null
    return (
      <li key={`${isAdded} ${text}`} class={isAdded ? 'added' : 'removed'}>
        <span class="mono" aria-hidden="true">
          {isAdded ? '+' : '−'}
        </span>
        <span>
          <span class="unseen">{isAdded ? t.policy.added : t.policy.removed}: </span>
          {comment !== null && <code class="in-file caption">{asLines(comment)}</code>}
          <code class="in-file">{text}</code>
          <span class="caption">{rowWords(row)}</span>
        </span>
      </li>
    )
  }
  return (
    <>
      <ul class="changed-rows" hidden={listed.size === 0}>
        {removed.map((row) => line(row, false))}
        {added.map((row) => line(row, true))}
      </ul>
      {others.length > 0 && (
        <div class="body">
          <h3>{t.proposals.commentsAlone}</h3>
          <ChangedComments comments={others} />
        </div>
      )}
    </>
  )
}
