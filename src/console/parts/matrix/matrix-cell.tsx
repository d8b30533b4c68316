import type { RefObject } from 'preact'

import { t } from '../../language/language'
import { answerOf, type Answer } from './matrix-model'
import { Verdict } from './verdict'

/** One cell; a changed one shows the previous answer, struck through, and the new one. */
export const MatrixCell = ({
  answer: { now, before, span },
  column,
  isOpen,
  isFirst,
  active,
  onPress,
}: {
  readonly answer: Answer
  /** from 1 */
  readonly column: number
  readonly isOpen: boolean
  /** true for the first column of its role */
  readonly isFirst: boolean
  /** set for the cell that the keys move from */
  readonly active: RefObject<HTMLTableCellElement | null> | null
  readonly onPress: () => unknown
}) => {
  const isChanged = before !== null
  const looks = [answerOf(now).effect, isChanged && 'changed', isOpen && 'open', isFirst && 'first']
  return (
    <td
      ref={active}
      class={looks.filter(Boolean).join(' ')}
      colSpan={span}
      aria-colindex={column}
      aria-selected={isOpen}
      tabIndex={active === null ? -1 : 0}
      onClick={() => void onPress()}
    >
      {isChanged && (
        <del>
          <span class="unseen">{t.policy.before} </span>
          <Verdict outcome={before} />
        </del>
      )}
      {isChanged && <span class="unseen">{t.policy.after} </span>}
      <Verdict outcome={now} />
      {isChanged && before.endpoint !== now.endpoint && (
        <span class="caption">{t.policy.endpointTurns[now.endpoint]}</span>
      )}
    </td>
  )
}
