import { useComputed, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'

import type { Cell } from '../../../domain/decision-table.js'
import { api, type Policy } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { inOrder } from '../../parts/in-order'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model'
import { Note } from '../../parts/note'
import { Page } from '../../parts/page'
import { ChangesCard } from '../../parts/policy/changes-card'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { ReplayCard } from '../../parts/policy/replay-card'
import { together, type Window } from '../../parts/policy/replays'
import { useReplay } from '../../parts/policy/use-replay'
import { reasonFor } from '../../parts/service-rights'
import { useMedia } from '../../parts/use-media'
import { ApplyCard } from './apply-card'
import { changesIn, editsIn, type Draft } from './draft'
import { DraftActions } from './draft-actions'
import { notesOf } from './row-notes'
import { RowsCard } from './rows-card'
import { EditedRows, StaleNote } from './stale-note'
import { useDraft } from './use-draft'
import { bodyOf, usePreview } from './use-preview'
import { whyOff } from './why-off'

/** An edit of the policy: its changes and its effect on past decisions, while typing. */
export const ProposePage = () => {
  const loaded = useLoaded(async (signal) => {
    const [policy, { decisions }] = await Promise.all([
      api.getPolicy({}, { signal }),
      api.getPolicyTable({}, { signal }),
    ])
    return { policy, decisions }
  }, [])
  const { value, again } = loaded
  /** the revision that was made here last */
  const applied = useSignal<number | null>(null)
  const latest = useRef<Draft>(null)
  return (
    <Page title={t.nav.policy} heading={t.propose.heading}>
      <LoadProblem of={loaded} />
      {applied.value !== null && applied.value === value?.policy.revision && (
        <Note kind="allow" title={t.propose.applied(applied.value)}>
          <a href={`/console/revisions?revision=${applied.value}`}>{t.propose.toRevision}</a>
        </Note>
      )}
      {value !== null && (
        <Proposal
          key={value.policy.revision}
          policy={value.policy}
          cells={value.decisions}
          latest={latest}
          onNewer={again}
          onApplied={(revision) => {
            applied.value = revision
            again()
            document.querySelector('h1')?.focus()
          }}
        />
      )}
    </Page>
  )
}

/** An edit of the rows of one revision. A draft from before is applied to them again. */
const Proposal = ({
  policy,
  cells,
  latest,
  onNewer,
  onApplied,
}: {
  readonly policy: Policy
  readonly cells: readonly Cell[]
  /** the draft as it was left when the revision changed */
  readonly latest: RefObject<Draft | null>
  readonly onNewer: () => unknown
  readonly onApplied: (revision: number) => unknown
}) => {
  const inForce = useRevisionInForce()
  const mine = useDraft(policy, latest)
  const { draft, lost, sentFrom, keptAt } = mine
  const window = useSignal<Window>('24h')
  const apply = useAttempt()
  /** the id of the proposal that was made of the edit */
  const proposed = useSignal<string | null>(null)

  const changes = useComputed(() => changesIn(draft.value)).value
  const isEmpty = changes.add.length + changes.remove.length === 0
  const preview = usePreview(changes, policy.revision)
  const { value: previewed, problem } = preview
  const isFresh = !preview.busy
  const notes = notesOf(draft.value, changes, previewed, problem)
  const body = bodyOf(changes)
  const isReplayed = !isEmpty && isFresh && previewed !== null && previewed.decisions_changed.length > 0
  const replay = useReplay(body, window.value, isReplayed ? JSON.stringify(body) : null)

  const newest = Math.max(inForce.value ?? 0, policy.revision)
  // without room next to the rows, the three numbers stay above them
  const isNarrow = useMedia('(width < 68.75rem)')
  const replayed = together(replay.state.value.parts)

  const isStale = newest > policy.revision || apply.problem.value?.status === 412
  const reason = reasonFor('policy:write')
  const off = whyOff({
    denied: reason,
    isStale,
    isEmpty,
    isFresh,
    faults: notes.faults,
    preview: previewed,
    reason: draft.value.reason,
  })
  const put = () =>
    apply.attempt(async () => {
      const answer = await api.changePolicy(
        { ...body, reason: draft.value.reason.trim() },
        { ifMatch: `"${policy.revision}"` },
      )
      mine.clear()
      proposed.value = answer.proposal?.id ?? null
      if (answer.proposal === undefined) {
        onApplied(answer.revision)
      } else document.querySelector('h1')?.focus()
    })
  const vocabulary = useComputed(() => ({
    roles: [...new Set(['anyone', 'anonymous', OTHER_ROLE, ...inOrder(cells.map(({ role }) => role))])],
    actions: [...new Set([...cells.map(({ action }) => action), OTHER_ACTION])],
  })).value
  return (
    <>
      <p class="lead">
        {t.propose.against(policy.revision, policy.needs_approval)}{' '}
        {keptAt.value !== null && t.propose.kept(keptAt.value)}
      </p>
      <DraftActions mine={mine} isEmpty={isEmpty} />
      {sentFrom.value !== null && <Note title={t.propose.opened(sentFrom.value)} />}
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
      {notes.faults === 0 && <LoadProblem of={preview} />}
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
        <RowsCard
          draft={draft}
          notes={notes}
          // a success clears the draft, with whatever was changed meanwhile
          off={reason ?? (apply.busy.value ? t.propose.off.sending : null)}
          vocabulary={vocabulary}
        />
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
            isStale={isStale}
            apply={apply}
            onApply={put}
          />
        </div>
      </div>
    </>
  )
}
