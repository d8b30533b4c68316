import type { CellChange } from '../../../domain/decision-table.js'
import { api } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { ChangedComments } from '../../parts/policy/changed-comments'
import type { CommentChange } from '../../parts/policy/changed-comments'
import { ChangedDecisions } from '../../parts/policy/changed-decisions'
import { ChangedRows } from '../../parts/policy/changed-rows'
import type { SentRow } from '../../parts/policy/row'
import { revisionLine } from './revision-line'
import { makerOf } from './time-line'

interface Difference {
  /** null: unknown, because rows cannot be read */
  readonly decisions_changed: readonly CellChange[] | null
  readonly added: readonly SentRow[]
  readonly removed: readonly SentRow[]
  readonly comments: readonly CommentChange[]
}

/** Decisions and rows, counted separately. */
const Difference = ({
  of: { decisions_changed: changes, added, removed, comments },
  before,
  after,
}: {
  readonly of: Difference
  readonly before: string
  readonly after: string
}) => (
  <>
    {changes !== null && <ChangedDecisions changes={changes} before={before} after={after} />}
    <div class="body">
      <h3>{t.revisions.rowsChanged(number(added.length), number(removed.length))}</h3>
    </div>
    <ChangedRows added={added} removed={removed} />
    {comments.length > 0 && (
      <div class="body">
        <h3>{t.revisions.comments(number(comments.length))}</h3>
        <ChangedComments comments={comments} />
      </div>
    )}
  </>
)

/** One revision: its reason and its changes. */
export const RevisionCard = ({ revision }: { readonly revision: number }) => {
  const { state, again } = useLoaded(
    async (signal) => {
      const found = await api.getPolicyRevision(revision, { signal })
      return { line: revisionLine(found), difference: found }
    },
    [revision],
  )
  const { value, problem, busy } = state.value
  const at = number(revision)
  return (
    <Card
      title={t.revisions.revision(at)}
      actions={
        <a class="button bare" href={`/console/access?revision=${revision}`}>
          {t.revisions.access}
        </a>
      }
    >
      {problem !== null && (
        <div class="body">
          <ProblemNote problem={problem} onRetry={again} />
        </div>
      )}
      {busy && value === null && <p class="body hint">{t.loading}</p>}
      {value !== null && problem === null && (
        <>
          <div class="body">
            <p class="answer">{value.line.reason}</p>
            <p class="caption">
              {makerOf(value.line)} · {dateAndTime(value.line.time)}
            </p>
          </div>
          <Difference of={value.difference} before={t.revisions.before} after={t.revisions.after} />
        </>
      )}
    </Card>
  )
}

/** Two revisions, and all changes between them. */
export const ComparisonCard = ({
  from,
  to,
  onSwap,
}: {
  readonly from: number
  readonly to: number
  readonly onSwap: () => unknown
}) => {
  const { state, again } = useLoaded((signal) => api.comparePolicyRevisions({ from, to }, { signal }), [from, to])
  const { value, problem, busy } = state.value
  return (
    <Card title={`${number(from)} → ${number(to)}`} actions={<Button onPress={onSwap}>{t.revisions.swap}</Button>}>
      {problem !== null && (
        <div class="body">
          <ProblemNote problem={problem} onRetry={again} />
        </div>
      )}
      {busy && value === null && <p class="body hint">{t.loading}</p>}
      {value !== null && problem === null && (
        <Difference of={value} before={t.revisions.in(number(value.from))} after={t.revisions.in(number(value.to))} />
      )}
    </Card>
  )
}
