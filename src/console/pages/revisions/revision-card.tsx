import { api } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { useLoaded } from '../../parts/loaded'
import { ChangedComments } from '../../parts/policy/changed-comments'
import { ChangedDecisions } from '../../parts/policy/changed-decisions'
import { ChangedRows } from '../../parts/policy/changed-rows'
import { WhenLoaded } from '../../parts/when-loaded'
import { makerOf } from './time-line'

/** `decisions_changed` is null where rows cannot be read. */
type Difference = Pick<
  Awaited<ReturnType<typeof api.getPolicyRevision>>,
  'decisions_changed' | 'added' | 'removed' | 'comments'
>

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

/** One revision: its reason and its changes. Needs a key for each. */
export const RevisionCard = ({ revision }: { readonly revision: number }) => {
  const loaded = useLoaded((signal) => api.getPolicyRevision(revision, { signal }), [])
  return (
    <Card
      title={t.revisions.revision(number(revision))}
      actions={
        <a class="button bare" href={`/console/access?revision=${revision}`}>
          {t.revisions.access}
        </a>
      }
    >
      <WhenLoaded of={loaded}>
        {(found) => (
          <>
            <div class="body">
              <p class="answer">{found.reason}</p>
              <p class="caption">
                {makerOf(found)} · {dateAndTime(found.time)}
              </p>
            </div>
            <Difference of={found} before={t.revisions.before} after={t.revisions.after} />
          </>
        )}
      </WhenLoaded>
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
}) => (
  <Card title={`${number(from)} → ${number(to)}`} actions={<Button onPress={onSwap}>{t.revisions.swap}</Button>}>
    <Compared key={`${from} ${to}`} from={from} to={to} />
  </Card>
)

const Compared = ({ from, to }: { readonly from: number; readonly to: number }) => {
  const loaded = useLoaded((signal) => api.comparePolicyRevisions({ from, to }, { signal }), [])
  return (
    <WhenLoaded of={loaded}>
      {(found) => <Difference of={found} before={t.revisions.in(number(from))} after={t.revisions.in(number(to))} />}
    </WhenLoaded>
  )
}
