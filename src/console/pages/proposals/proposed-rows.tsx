import type { PolicyProposal } from '../../api'
import { t } from '../../language/language'
import { ChangedComments } from '../../parts/policy/changed-comments'
import { ChangedRows } from '../../parts/policy/changed-rows'
import { rowText } from '../../parts/policy/row'
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
  return (
    <>
      {listed.size > 0 && (
        <ChangedRows added={added} removed={removed}>
          {(row, isAdded) => {
            const comment = said.get(rowText(row))?.[isAdded ? 'after' : 'before'] ?? null
            return (
              <>
                {comment !== null && <code class="in-file caption">{asLines(comment)}</code>}
                <code class="in-file">{rowText(row)}</code>
                <span class="caption">{rowWords(row)}</span>
              </>
            )
          }}
        </ChangedRows>
      )}
      {others.length > 0 && (
        <div class="body">
          <h3>{t.proposals.commentsAlone}</h3>
          <ChangedComments comments={others} />
        </div>
      )}
    </>
  )
}
