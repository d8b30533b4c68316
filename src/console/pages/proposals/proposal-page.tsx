import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'

import type { CellChange } from '../../../domain/decision-table.js'
import { api } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { CopyButton } from '../../parts/copy-button'
import { useLoaded } from '../../parts/loaded'
import { Note } from '../../parts/note'
import { Page } from '../../parts/page'
import { actorName } from '../../parts/policy/actor-name'
import { ChangesCard } from '../../parts/policy/changes-card'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { countOpenProposals } from '../../parts/policy/open-proposals'
import { ReplayCard } from '../../parts/policy/replay-card'
import type { Window } from '../../parts/policy/replays'
import { useReplay } from '../../parts/policy/use-replay'
import { reasonFor } from '../../parts/service-rights'
import { WhenLoaded } from '../../parts/when-loaded'
import { userId } from '../../session'
import { DecideCard } from './decide-card'
import { ProposedRows } from './proposed-rows'
import { StateBadge } from './state-badge'

type Shown = Awaited<ReturnType<typeof api.getPolicyProposal>>
type Obstacle = Extract<NonNullable<Shown['against']>, { problem: unknown }>['problem']

/** One proposal: its author and reason, its rows, and its effect on the rows in force now. */
export const ProposalPage = () => {
  const id = useRoute().params['name'] ?? ''
  const inForce = useRevisionInForce()
  const loaded = useLoaded((signal) => api.getPolicyProposal(id, { signal }), [id, inForce.value])
  const { value, again } = loaded
  useEffect(() => void countOpenProposals(), [value?.state])
  const title = t.proposals.one(id)
  return (
    <Page title={title}>
      <WhenLoaded of={{ ...loaded, value: value?.id === id ? value : null }}>
        {(proposal) => <Known proposal={proposal} onDecided={again} />}
      </WhenLoaded>
      <p>
        <a href="/console/proposals">{t.proposals.back}</a>
      </p>
    </Page>
  )
}

const Known = ({ proposal, onDecided }: { readonly proposal: Shown; readonly onDecided: () => unknown }) => {
  const { id, state, actor, reason, time, base, added, removed, closed, revision, against } = proposal
  const typed = useSignal('')
  return (
    <>
      <div>
        <p class="answer">{reason}</p>
        <p class="row caption">
          <StateBadge state={state} /> {t.proposals.by(actorName(actor), dateAndTime(time))}
        </p>
      </div>
      {closed !== null && (
        <Note
          kind={state === 'applied' ? 'allow' : 'plain'}
          title={t.proposals.closed(state, actorName(closed.actor), dateAndTime(closed.time), closed.reason)}
        >
          {revision !== null && (
            <a href={`/console/revisions?revision=${revision}`}>{t.revisions.revision(number(revision))}</a>
          )}
        </Note>
      )}
      {closed !== null && closed.actor.id !== userId() && typed.value.trim() !== '' && (
        <Note kind="lit" title={t.proposals.notRecorded}>
          <p>{typed}</p>
          <div class="row">
            <CopyButton text={typed.value} />
          </div>
        </Note>
      )}
      {against !== null && (
        <p class="lead">
          {base === against.revision
            ? t.proposals.against(number(against.revision))
            : t.proposals.moved(number(base), number(against.revision))}
        </p>
      )}
      {against !== null && 'problem' in against && <InItsWay problem={against.problem} />}
      <Card title={t.revisions.rowsChanged(number(added.length), number(removed.length))}>
        <ProposedRows of={proposal} />
      </Card>
      {against !== null && 'decisions_changed' in against && (
        <Changes proposal={proposal} revision={against.revision} changes={against.decisions_changed} />
      )}
      {against !== null && (
        <DecideCard
          id={id}
          madeBy={actor.id}
          against={{ revision: against.revision, isBlocked: 'problem' in against }}
          reason={typed}
          onDecided={onDecided}
        />
      )}
    </>
  )
}

/** The matrix in force with the changed cells highlighted, and the effect on real decisions. */
const Changes = ({
  proposal: { id, added, removed },
  revision,
  changes,
}: {
  readonly proposal: Shown
  readonly revision: number
  readonly changes: readonly CellChange[]
}) => {
  const loaded = useLoaded((signal) => api.getPolicyTable({ revision }, { signal }), [revision])
  const window = useSignal<Window>('24h')
  const mayNotReplay = reasonFor('audit:read')
  const isReplayed = mayNotReplay === null && changes.length > 0
  const replay = useReplay({ add: added, remove: removed }, window.value, isReplayed ? `${id} ${revision}` : null)
  return (
    <WhenLoaded of={loaded}>
      {({ decisions }) => (
        <>
          <ChangesCard cells={decisions} changes={changes} />
          {changes.length > 0 && <ReplayCard job={replay} window={window} off={mayNotReplay} />}
        </>
      )}
    </WhenLoaded>
  )
}

/** The refusal that an approval would get. */
const InItsWay = ({ problem: { code, title, detail, violations = [], errors } }: { readonly problem: Obstacle }) => {
  const lines = [
    ...violations.map(({ invariant, why }) => (why === '' ? invariant : `${invariant}: ${why}`)),
    ...errors.map(({ field, message }) => `${field}: ${t.propose.fault(message)}`),
  ]
  return (
    <Note kind="deny" title={t.proposals.inItsWay(t.titleOf({ code, title }))}>
      {detail !== null && <p>{t.detailOf(detail)}</p>}
      {lines.length > 0 && (
        <ul class="row-changes">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Note>
  )
}
