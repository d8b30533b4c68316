import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

import type { Cell } from '../../../domain/decision-table.js'
import { api } from '../../api'
import type { Policy } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { useLoaded } from '../../parts/loaded'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model'
import { textIn } from '../../parts/narrow'
import { Note, ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { ChangesCard } from '../../parts/policy/changes-card'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { ReplayCard } from '../../parts/policy/replay-card'
import { together } from '../../parts/policy/replays'
import type { Window } from '../../parts/policy/replays'
import { policyRowIn } from '../../parts/policy/row'
import { useReplay } from '../../parts/policy/use-replay'
import { useServiceRights } from '../../parts/service-rights'
import { say } from '../../parts/toast'
import { useMedia } from '../../parts/use-media'
import { ApplyCard } from './apply-card'
import { changesIn, draftOf, editAgain, editsIn } from './draft'
import type { Commented, RowEdit } from './draft'
import { DraftActions } from './draft-actions'
import { forgetDraft, isBlank, storedDraft, takeSentDraft, useKept } from './keep-draft'
import { draftText } from './kept-draft'
import type { KeptDraft } from './kept-draft'
import { ReplaceDialog } from './replace-dialog'
import { notesOf } from './row-notes'
import { RowsCard } from './rows-card'
import { EditedRows, StaleNote } from './stale-note'
import { bodyOf, usePreview } from './use-preview'

/** An edit of the policy: its changes and its effect on past decisions, while typing. */
export const ProposePage = () => {
  const { state, again } = useLoaded(async (signal) => {
    const [policy, { decisions }] = await Promise.all([
      api.getPolicy({}, { signal }),
      api.getPolicyTable({}, { signal }),
    ])
    return { policy, decisions }
  }, [])
  const { value, problem } = state.value
  return (
    <Page title={t.propose.title} heading={t.propose.heading}>
      <div class="stack">
        {problem !== null && <ProblemNote problem={problem} onRetry={again} />}
        {value !== null && (
          <Proposal key={value.policy.revision} policy={value.policy} cells={value.decisions} onNewer={again} />
        )}
      </div>
    </Page>
  )
}

const commentedRows = ({ rows }: Policy): readonly Commented[] =>
  rows.flatMap((sent) => {
    const row = policyRowIn(sent)
    return row === null ? [] : [{ row, comment: textIn(sent['comment']) ?? '' }]
  })

const NO_EDITS: readonly RowEdit[] = []

/** A draft from a link (`isSent`) or from a file. */
interface Offered {
  readonly kept: KeptDraft
  readonly isSent: boolean
}

/** An edit of the rows of one revision. A draft stored before is applied to them again. */
const Proposal = ({
  policy,
  cells,
  onNewer,
}: {
  readonly policy: Policy
  readonly cells: readonly Cell[]
  readonly onNewer: () => unknown
}) => {
  const reasonFor = useServiceRights()
  const inForce = useRevisionInForce()
  const [first] = useState(() => {
    const stored = storedDraft()
    const rows = commentedRows(policy)
    if (stored === null) return { draft: draftOf(policy.revision, rows), lost: NO_EDITS }
    return editAgain(policy.revision, rows, stored.edits, stored.reason)
  })
  const draft = useSignal(first.draft)
  const lost = useSignal(first.lost)
  /** the revision on which a draft in the URL was written */
  const from = useSignal<number | null>(null)
  const window = useSignal<Window>('24h')
  const apply = useAttempt()
  const proposed = useSignal<string | null>(null)
  const keptAt = useKept(draft)
  const offered = useSignal<Offered | null>(null)
  const take = ({ kept, isSent }: Offered) => {
    const { draft: next, lost: gone } = editAgain(policy.revision, commentedRows(policy), kept.edits, kept.reason)
    draft.value = next
    lost.value = gone
    from.value = isSent ? kept.revision : null
    offered.value = null
  }
  /** A draft from elsewhere: it takes the place of another one only if the user says so. */
  const offer = (given: Offered) => {
    const { edits, reason: why } = given.kept
    const { draft: next } = editAgain(policy.revision, commentedRows(policy), edits, why)
    if (isBlank(draft.peek()) || draftText(draft.peek()) === draftText(next)) take(given)
    else offered.value = given
  }
  useEffect(() => {
    const look = () => {
      const kept = takeSentDraft()
      if (kept !== null) offer({ kept, isSent: true })
    }
    look()
    // a draft pasted into the URL of this page
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])

  const changes = useComputed(() => changesIn(draft.value)).value
  const isEmpty = changes.add.length + changes.remove.length === 0
  const preview = usePreview(changes, policy.revision)
  const { value: previewed, problem, isFresh } = preview.value
  const notes = notesOf(draft.value, changes, previewed, problem)
  const isReplayed = !isEmpty && isFresh && previewed !== null && previewed.decisions_changed.length > 0
  const replay = useReplay(bodyOf(changes), window.value, isReplayed ? JSON.stringify(bodyOf(changes)) : null)

  const newest = Math.max(inForce.value ?? 0, policy.revision)
  // without room next to the rows, the three numbers stay above them
  const isNarrow = useMedia('(width < 1100px)')
  const replayed = together(replay.state.value.parts)

  const isStale = newest > policy.revision || apply.problem.value?.status === 412
  const reason = reasonFor('policy:write')
  const off = ((): string | null => {
    if (reason !== null) return reason
    if (isStale) return t.propose.off.stale
    if (isEmpty) return t.propose.off.nothing
    if (!isFresh) return t.propose.off.asking
    if (notes.faults > 0) return t.propose.off.faults(notes.faults)
    const violations = previewed?.objections.flatMap((each) => each.violations ?? []) ?? []
    if (violations.length > 0) return t.propose.off.refused(violations.length)
    if ((previewed?.objections.length ?? 0) > 0) return t.propose.off.beyond
    return draft.value.reason.trim() === '' ? t.propose.off.reason : null
  })()
  const put = () =>
    apply.attempt(async () => {
      const answer = await api.changePolicy(
        { ...bodyOf(changes), reason: draft.value.reason.trim() },
        { ifMatch: `"${policy.revision}"` },
      )
      draft.value = draftOf(policy.revision, commentedRows(policy))
      forgetDraft()
      proposed.value = answer.proposal?.id ?? null
      if (answer.proposal === undefined) {
        say(t.propose.applied(answer.revision))
        onNewer()
      } else document.querySelector('h1')?.focus()
    })
  const vocabulary = useComputed(() => ({
    roles: [...new Set(['anyone', 'anonymous', OTHER_ROLE, ...cells.map(({ role }) => role)])],
    actions: [...new Set([...cells.map(({ action }) => action), OTHER_ACTION])],
  })).value
  return (
    <>
      <p class="lead">
        {t.propose.against(policy.revision, policy.needs_approval)}{' '}
        {keptAt.value !== null && t.propose.kept(keptAt.value)}
      </p>
      <DraftActions
        draft={draft}
        isEmpty={isEmpty}
        rows={commentedRows(policy)}
        onOpen={(kept) => offer({ kept, isSent: false })}
      />
      {offered.value !== null && (
        <ReplaceDialog
          onReplace={() => offered.value !== null && take(offered.value)}
          onKeep={() => (offered.value = null)}
        />
      )}
      {from.value !== null && <Note title={t.propose.opened(from.value)} />}
      {lost.value.length > 0 && (
        <Note kind="lit" title={t.propose.lost(lost.value.length)}>
          <EditedRows edits={lost.value} />
        </Note>
      )}
      {isStale && (
        <StaleNote
          from={policy.revision}
          to={Math.max(newest, policy.revision + 1)}
          mine={editsIn(draft.value)}
          onCarry={onNewer}
        />
      )}
      {problem !== null && notes.faults === 0 && <ProblemNote problem={problem} />}
      {proposed.value !== null && (
        <Note kind="allow" title={t.propose.proposed}>
          <a href={`/console/proposals/${proposed.value}`}>{t.propose.toProposal}</a>
        </Note>
      )}
      {isNarrow && (
        <p class="propose-summary" aria-hidden="true">
          <span>{t.propose.changed(previewed?.decisions_changed.length ?? 0)}</span>
          {isReplayed && <span>{t.propose.share(replayed.changed, replayed.considered)}</span>}
          <span>{off}</span>
        </p>
      )}
      <div class="propose">
        <RowsCard draft={draft} notes={notes} off={reason} vocabulary={vocabulary} />
        <div class="propose-side">
          <ChangesCard cells={cells} changes={previewed?.decisions_changed} isFresh={isFresh} />
          <ReplayCard
            job={replay}
            window={window}
            off={reasonFor('audit:read') ?? (isEmpty || !isReplayed ? t.propose.nothingToReplay : null)}
          />
          <ApplyCard
            draft={draft}
            needsApproval={policy.needs_approval}
            preview={previewed}
            off={off}
            apply={apply}
            onApply={put}
          />
        </div>
      </div>
    </>
  )
}
