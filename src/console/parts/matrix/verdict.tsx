import type { Outcome } from '../../../domain/decision-table.js'
import type { Effect } from '../../../domain/policy-row.js'
import { t } from '../../language/language'
import { answerOf } from './matrix-model'

// as text, because a thousand small images are slow to scroll
const SIGNS = { allow: '✓', deny: '−' } as const

/** Allow or deny, by sign and word. */
export const EffectWord = ({
  effect,
  words = t.policy.effects,
}: {
  readonly effect: Effect
  readonly words?: Readonly<Record<Effect, string>>
}) => (
  <span class={`effect ${effect}`}>
    <i aria-hidden="true">{SIGNS[effect]}</i>
    {words[effect]}
  </span>
)

/** The result for a caller, and its rule. */
export const Verdict = ({ outcome }: { readonly outcome: Outcome }) => {
  const { effect, by } = answerOf(outcome)
  return (
    <span class="verdict">
      <EffectWord effect={effect} /> <RuleLabel rule={by} />
    </span>
  )
}

/** Longer labels may not fit into a cell of the matrix. */
const SHORT = 4

/** null: no row decides, because the role may not call the endpoint. */
export const RuleLabel = ({ rule }: { readonly rule: string | null }) => {
  const label = rule ?? t.policy.atEndpoint
  return label.length > SHORT ? (
    <code class="rule long" title={label}>
      {label}
    </code>
  ) : (
    <code class="rule">{label}</code>
  )
}
