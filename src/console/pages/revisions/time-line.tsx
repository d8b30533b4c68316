import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import type { Turned } from '../../parts/policy/turned'
import type { RevisionLine } from './revision-line'

export interface Picked {
  readonly open: number | null
  /** at most two, in the order in which they were picked */
  readonly compared: readonly number[]
}

/** Who made a revision, in words. */
export const makerOf = ({ who, isUser, isByHand }: RevisionLine): string => {
  if (isByHand) return t.revisions.inDatabase(who ?? '')
  return who ?? (isUser ? t.revisions.gone : t.revisions.nobody)
}

/** Revisions, newest first: reason, author, time and changes. */
export const TimeLine = ({
  lines,
  turned,
  inForce,
  picked,
  off,
  onOpen,
  onCompare,
  onRestore,
}: {
  readonly lines: readonly RevisionLine[]
  readonly turned: ReadonlyMap<number, Turned | null>
  readonly inForce: number | null
  readonly picked: Picked
  /** why restoring is disabled */
  readonly off: string | null
  readonly onOpen: (revision: number) => unknown
  readonly onCompare: (revision: number, isCompared: boolean) => unknown
  readonly onRestore: (line: RevisionLine) => unknown
}) => (
  <ol class="time-line" reversed>
    {lines.map((line) => {
      const { revision, reason, time, added, removed, isByHand } = line
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
            {isByHand && <span class="badge lit">{t.revisions.byHand}</span>}
            <p class="caption">
              {makerOf(line)} · <time dateTime={time}>{dateAndTime(time)}</time>
            </p>
            <p class="counts">
              <span>{t.revisions.rows(number(added), number(removed))}</span>
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
              onPress={() => onRestore(line)}
            >
              {t.revisions.restore}
            </Button>
          </div>
        </li>
      )
    })}
  </ol>
)
