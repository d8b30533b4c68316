import type { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { EffectWord } from '../matrix/verdict'
import { policyRowIn, rowText } from './row'
import { rowWords } from './row-words'

/** The rows that a layer considered. */
export type Judged = Pick<
  Awaited<ReturnType<typeof api.explainDecision>>['explanation']['endpoint'],
  'considered' | 'not_listed'
>

/** Rows in order of evaluation: in words and raw, with the outcome of each, and the deciding one marked. */
export const RowsInOrder = ({ of: { considered, not_listed: notListed } }: { readonly of: Judged }) => {
  const rows = considered.map(({ row }) => row)
  return (
    <>
      <ol class="policy-rows" hidden={considered.length === 0}>
        {considered.map(({ row, outcome, why }) => {
          const { priority, effect } = row
          const parsed = policyRowIn(row)
          const decides = outcome === 'decides' && parsed?.ptype === 'p' ? parsed.effect : undefined
          return (
            <li key={rowText(row)} class={`${outcome} ${typeof effect === 'string' ? effect : ''}`}>
              <span class="mono priority">{typeof priority === 'number' ? priority : ''}</span>
              <span>
                {rowWords(row, rows)}
                <code class="raw">{rowText(row)}</code>
                {decides !== undefined && (
                  <strong class="outcome">
                    {t.policy.decides} <EffectWord effect={decides} />
                  </strong>
                )}
                {outcome === 'decides' && decides === undefined && <strong class="outcome">{t.policy.letsIn}</strong>}
                {outcome === 'does_not_match' && <span class="caption outcome">{t.policy.noMatch(why)}</span>}
                {outcome === 'not_reached' && <span class="caption outcome">{t.explain.states.unreached}</span>}
              </span>
            </li>
          )
        })}
      </ol>
      {notListed > 0 && <p class="caption">{t.policy.notListed(number(notListed))}</p>}
    </>
  )
}
