import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { handleSubmit } from '../../parts/form'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { ChangedComments } from '../../parts/policy/changed-comments'
import { ChangedDecisions } from '../../parts/policy/changed-decisions'
import { ReasonField } from '../../parts/reason-field'
import { say } from '../../parts/toast'

/** Restores a revision: first what it would change, then why, then the edit, under the revision that was shown. */
export const RestoreDialog = ({
  revision,
  onClose,
}: {
  readonly revision: number
  readonly onClose: (restored: number | null) => unknown
}) => {
  const loaded = useLoaded(
    async (signal) => {
      const [plan, { needs_approval: needsApproval }] = await Promise.all([
        api.restorePolicyRevision(revision, {}, { query: { dry_run: 'true' }, signal }),
        api.getPolicy({}, { signal }),
      ])
      return { ...plan, needsApproval }
    },
    [revision],
  )
  const { value, problem, busy, again } = loaded
  const reason = useSignal(t.revisions.backTo(number(revision)))
  const { busy: isApplying, problem: refused, attempt } = useAttempt()
  const isEmpty = value !== null && value.added.length + value.removed.length + value.comments.length === 0
  const apply = (inForce: number) =>
    attempt(async () => {
      const made = await api.restorePolicyRevision(revision, { reason: reason.value }, { ifMatch: `"${inForce}"` })
      // if a second person has to approve, it becomes a proposal
      const isProposed = 'proposal' in made
      say(isProposed ? t.revisions.proposed : t.proposals.approved(number(made.revision)))
      void onClose(isProposed ? null : made.revision)
    })
  const form = useRef<HTMLFormElement>(null)
  const startOver = () => {
    // the button that was pressed goes
    form.current?.querySelector('textarea')?.focus()
    refused.value = null
    again()
  }
  const isStale = refused.value?.code === 'precondition_failed'
  return (
    <Dialog title={t.revisions.restoreOne(number(revision))} onClose={() => onClose(null)}>
      <LoadProblem of={{ ...loaded, at: null }} />
      {busy && <p class="hint">{t.loading}</p>}
      {value !== null && problem === null && (
        <>
          <div class="within">
            <p>{t.revisions.rowsChanged(number(value.added.length), number(value.removed.length))}</p>
            {value.comments.length > 0 && <ChangedComments comments={value.comments} />}
            <ChangedDecisions
              changes={value.decisions_changed}
              before={t.revisions.in(number(value.revision))}
              after={t.revisions.afterwards}
            />
          </div>
          <ProblemNote problem={refused.value} onRetry={isStale ? startOver : undefined} />
          <form ref={form} class="stack" onSubmit={handleSubmit(() => !isEmpty && apply(value.revision))}>
            <ReasonField
              label={t.proposals.reason}
              problem={refused.value}
              value={reason.value}
              required
              onType={(text) => (reason.value = text)}
            />
            <div class="row">
              <Button
                kind="main"
                type="submit"
                busy={isApplying.value}
                off={isEmpty ? t.revisions.nothingToRestore : null}
              >
                {value.needsApproval ? t.propose.propose : t.revisions.apply(number(value.revision + 1))}
              </Button>
              <Button onPress={() => onClose(null)}>{t.cancel}</Button>
            </div>
          </form>
        </>
      )}
    </Dialog>
  )
}
