import { useSignal } from '@preact/signals'

import { number } from '../../language/format'
import { t } from '../../language/language'
import { Icon, type IconName } from '../../parts/icon'
import { MoreFoot } from '../../parts/more-foot'
import { Segments } from '../../parts/segments'
import { STATES, stateOf, type State } from './counts'
import type { Row } from './rows'
import { whyText } from './why-text'

/** How many rows are shown at first, and added each time. */
const AT_ONCE = 100

const LOOK = {
  open: ['badge paused', 'clock'],
  new: ['badge allow', 'add'],
  made: ['badge allow', 'check'],
  there: ['badge', 'check'],
  conflict: ['badge lit', 'link'],
  refused: ['badge deny', 'deny'],
} as const satisfies Readonly<Record<State, readonly [string, IconName]>>

/** The rows of the file with their outcomes. */
export const RowsTable = ({
  rows,
  counts,
}: {
  readonly rows: readonly Row[]
  readonly counts: Readonly<Record<State, number>>
}) => {
  const shownState = useSignal<State | null>(null)
  const most = useSignal(AT_ONCE)
  // a state without rows shows all
  const state = shownState.value !== null && counts[shownState.value] > 0 ? shownState.value : null
  const matching = state === null ? rows : rows.filter(({ outcome }) => stateOf(outcome) === state)
  const shown = matching.slice(0, most.value)
  return (
    <>
      <div class="states">
        <Segments
          label={t.show}
          names={[null, ...STATES.filter((each) => counts[each] > 0)]}
          chosen={state}
          words={(each) =>
            each === null
              ? `${t.imports.all} ${number(rows.length)}`
              : `${t.imports.states[each]} ${number(counts[each])}`
          }
          onChoose={(each) => {
            shownState.value = each
            most.value = AT_ONCE
          }}
        />
      </div>
      <table class="table import-rows">
        <thead>
          <tr>
            <th scope="col">{t.imports.row}</th>
            <th scope="col">{t.fields.code}</th>
            <th scope="col">{t.fields.target}</th>
            <th scope="col">{t.imports.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <RowLine key={row.at} row={row} />
          ))}
        </tbody>
      </table>
      <MoreFoot shown={shown.length} all={matching.length} onMore={() => (most.value += AT_ONCE)} />
    </>
  )
}

const RowLine = ({ row: { place, code, target, outcome } }: { readonly row: Row }) => {
  const state = stateOf(outcome)
  const [look, icon] = LOOK[state]
  return (
    <tr>
      <td class="place">{t.imports.place(place)}</td>
      <td class="code">
        {outcome.is === 'made' ? (
          <a href={outcome.url} target="_blank" rel="noopener">
            {new URL(outcome.url).pathname.slice(1)}
          </a>
        ) : code === '' ? (
          <span class="caption">{t.imports.anyCode}</span>
        ) : (
          code
        )}
      </td>
      <td class="cut" title={target}>
        {target}
      </td>
      <td>
        <span class={look}>
          <Icon name={icon} />
          {t.imports.states[state]}
        </span>{' '}
        {(outcome.is === 'conflict' || outcome.is === 'refused') && whyText(outcome.why)}
        {outcome.is === 'there' && outcome.line !== undefined && (
          <span class="caption">{t.imports.sameAs(outcome.line)}</span>
        )}
      </td>
    </tr>
  )
}
