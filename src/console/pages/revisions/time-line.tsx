import type { PolicyRevision } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { actorName } from '../../parts/policy/actor-name'
import type { Turned } from '../../parts/policy/turned'

export interface Picked {
  readonly open: number | null
  /** at most two, in the order in which they were picked */
  readonly compared: readonly number[]
}

/** Who made a revision, in words. */
export const makerOf = (revision: Pick<PolicyRevision, 'actor' | 'model_sha256'>): string =>
  isByHand(revision) ? t.revisions.inDatabase(revision.actor.name ?? '') : actorName(revision.actor)

/** Whether the rows were changed directly in the database, which knows no model. */
const isByHand = ({ model_sha256: model }: Pick<PolicyRevision, 'model_sha256'>): boolean => model === ''

/** Revisions, newest first: reason, author, time and changes. */
export const TimeLine = ({
  revisions,
  turned,
  inForce,
  picked,
  off,
  onOpen,
  onCompare,
  onRestore,
}: {
  readonly revisions: readonly PolicyRevision[]
  readonly turned: ReadonlyMap<number, Turned | null>
  readonly inForce: number | null
  readonly picked: Picked
  /** why restoring is disabled */
  readonly off: string | null
  readonly onOpen: (revision: number) => unknown
  readonly onCompare: (revision: number, isCompared: boolean) => unknown
  readonly onRestore: (revision: PolicyRevision) => unknown
}) => (
  <ol class="time-line" reversed>
    {revisions.map((each) => {
      const { revision, reason, time, added, removed } = each
      const changes = turned.get(revision)
      const isInForce = revision === inForce
      return (
        <li key={revision} class={picked.open === revision ? 'open' : undefined}>
          <span class={isInForce ? 'mark-number now' : 'mark-number'}>{number(revision)}</span>
          <div>
            <button
              type="button"
              class="reason-button"
              aria-current={picked.open === revision ? 'true' : undefined}
              onClick={() => void onOpen(revision)}
            >
              <span class="unseen">{t.revisions.revision(number(revision))}: </span>
              {reason}
            </button>{' '}
            {isInForce && <span class="badge allow">{t.revisions.inForce}</span>}{' '}
            {isByHand(each) && <span class="badge lit">{t.revisions.byHand}</span>}
            <p class="caption">
              {makerOf(each)} · <time dateTime={time}>{dateAndTime(time)}</time>
            </p>
            <p class="counts">
              <span>{t.revisions.rows(number(added.length), number(removed.length))}</span>
              <span>
                {changes === undefined ? t.loading : changes === null ? t.revisions.unknown : t.policy.turned(changes)}
              </span>
            </p>
          </div>
          <div class="row tools">
            <label class="choice">
              <input
                type="checkbox"
                checked={picked.compared.includes(revision)}
                onChange={({ currentTarget }) => void onCompare(revision, currentTarget.checked)}
              />
              {t.revisions.compare} <span class="unseen">{t.revisions.revision(number(revision))}</span>
            </label>
            <Button
              kind="bare"
              icon="restore"
              label={t.revisions.restoreOne(number(revision))}
              off={isInForce ? t.revisions.isInForce : off}
              onPress={() => onRestore(each)}
            >
              {t.revisions.restore}
            </Button>
          </div>
        </li>
      )
    })}
  </ol>
)
