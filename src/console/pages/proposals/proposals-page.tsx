import { useLocation } from 'preact-iso/router'

import { PROPOSAL_STATES } from '../../../domain/proposal-state.js'
import { api, type PolicyProposal } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { FilterSelect } from '../../parts/filter-select'
import { oneOf } from '../../parts/narrow'
import { Page } from '../../parts/page'
import { Listed, usePages } from '../../parts/pages'
import { actorName } from '../../parts/policy/actor-name'
import { StateBadge } from './state-badge'

const ALL = 'all'

/** Proposed edits of the policy, open and closed ones. */
export const ProposalsPage = () => {
  const { query, route } = useLocation()
  const state = query['state'] === ALL ? ALL : (oneOf(PROPOSAL_STATES, query['state']) ?? 'open')
  const list = usePages(
    (from, options) =>
      api.listPolicyProposals({ limit: 20, count: true, ...(state !== ALL && { state }), ...from }, options).page(),
    [state],
  )
  const { items } = list.state.value
  return (
    <Page title={t.nav.proposals}>
      <p class="lead">{t.proposals.lead}</p>
      <Card
        title={t.proposals.title}
        actions={
          <FilterSelect
            label={t.proposals.state}
            names={[...PROPOSAL_STATES, ALL]}
            chosen={state}
            words={(each) => (each === ALL ? t.proposals.all : t.proposals.states[each])}
            onChoose={(each) => route(`/console/proposals?state=${each}`, true)}
          />
        }
      >
        <Listed
          list={list}
          empty={
            <>
              <p>{state === 'open' ? t.proposals.noneOpen : t.proposals.none}</p>
              {state === 'open' && <p class="hint">{t.proposals.noneHint}</p>}
            </>
          }
        >
          <ul class="items body">
            {items.map((proposal) => (
              <Item key={proposal.id} proposal={proposal} />
            ))}
          </ul>
        </Listed>
      </Card>
    </Page>
  )
}

const Item = ({
  proposal: { id, state, reason, actor, time, added, removed, closed, revision },
}: {
  readonly proposal: PolicyProposal
}) => (
  <li>
    <div>
      <a href={`/console/proposals/${id}`}>
        <strong>{reason}</strong>
      </a>
      <div class="caption">
        {t.proposals.by(actorName(actor), dateAndTime(time))} ·{' '}
        {t.revisions.rows(number(added.length), number(removed.length))}
      </div>
      {closed !== null && (
        <div class="caption">
          {t.proposals.closed(state, actorName(closed.actor), dateAndTime(closed.time), closed.reason)}
        </div>
      )}
    </div>
    <span class="row">
      <StateBadge state={state} />
      {revision !== null && (
        <a href={`/console/revisions?revision=${revision}`}>{t.revisions.revision(number(revision))}</a>
      )}
    </span>
  </li>
)
