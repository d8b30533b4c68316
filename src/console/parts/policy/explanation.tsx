import { t } from '../../language/language'
import type { api } from '../../api'
import { EffectWord, RuleLabel } from '../matrix/verdict'
import { policyRowIn } from './row'
import { RowsInOrder } from './rows-in-order'

/** An explanation of a decision, as the service sends it. */
export type Explained = Awaited<ReturnType<typeof api.explainDecision>>['explanation']

/** The decision in a sentence, the endpoint's answer, and the rows in order of evaluation. */
export const Explanation = ({ of }: { readonly of: Explained }) => {
  const { effect, endpoint, object, role, inherits, layer } = of
  const row = object.row === null ? null : policyRowIn(object.row)
  return (
    <div class="stack explanation">
      <div>
        <p class="answer">
          <EffectWord effect={effect} /> {layer === 'object' && <RuleLabel rule={object.rule} />}
        </p>
        <p class="lead">
          {layer === 'endpoint'
            ? t.policy.noEndpoint(role)
            : row?.ptype === 'p'
              ? t.policy.rowSays(row.priority)
              : t.policy.noneMatches}
        </p>
      </div>
      <div>
        <h3>{t.policy.mayAsk(role)}</h3>
        <p class="row">
          <EffectWord effect={endpoint.effect} words={t.policy.yesOrNo} />
        </p>
        <RowsInOrder considered={endpoint.considered} notListed={endpoint.not_listed} />
      </div>
      <div>
        <h3>{t.policy.inOrder}</h3>
        <RowsInOrder considered={object.considered} notListed={object.not_listed} />
      </div>
      <p class="caption">{t.policy.counts(role, inherits)}</p>
    </div>
  )
}
