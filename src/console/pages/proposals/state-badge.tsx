import type { PolicyProposal } from '../../api'
import { t } from '../../language/language'

const LOOKS = { open: 'lit', applied: 'allow', declined: 'deny', withdrawn: 'paused' } as const

/** The state of a proposal. */
export const StateBadge = ({ state }: Pick<PolicyProposal, 'state'>) => (
  <span class={`badge ${LOOKS[state]}`}>{t.proposals.states[state]}</span>
)
