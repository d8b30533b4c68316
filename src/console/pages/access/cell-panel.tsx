import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Question } from '../../../domain/decision-table.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { useLoaded } from '../../parts/loaded'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model'
import { ProblemNote } from '../../parts/note'
import { Explanation } from '../../parts/policy/explanation'

/** An unnamed action: all of them get the same answer. */
const unnamed = (actions: readonly string[]): string => {
  let name = 'any:other'
  while (actions.includes(name)) name += '_'
  return name
}

/** Explains a cell: the rows in order. Escape closes it. */
export const CellPanel = ({
  question: { role, action, relation },
  isAlike,
  actions,
  revision,
  onClose,
}: {
  readonly question: Question
  /** true if own and others' records get the same answer */
  readonly isAlike: boolean
  /** the actions named by rows */
  readonly actions: readonly string[]
  readonly revision: number
  readonly onClose: () => unknown
}) => {
  const asked = action === OTHER_ACTION ? unnamed(actions) : action
  const { state, again } = useLoaded(
    (signal) => api.explainDecision({ role, action: asked, relation, revision }, { signal }),
    [role, action, relation, revision],
  )
  const { value, problem, busy } = state.value
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => title.current?.focus(), [role, action, relation])
  const names = [
    role === OTHER_ROLE ? t.policy.otherRole : role,
    action === OTHER_ACTION ? t.policy.otherAction : action,
    isAlike ? t.policy.any : t.policy.relations[relation],
  ]
  return (
    <section
      class="card cell-panel"
      aria-labelledby="cell-title"
      aria-busy={busy}
      onKeyDown={({ key }) => {
        if (key === 'Escape') void onClose()
      }}
    >
      <header>
        <h2 id="cell-title" ref={title} tabIndex={-1}>
          {names.join(', ')}
        </h2>
        <span class="push">
          <Button kind="bare" icon="close" label={t.close} onPress={onClose}>
            {''}
          </Button>
        </span>
      </header>
      <div class="body stack">
        {problem !== null && <ProblemNote problem={problem} onRetry={again} />}
        {value === null && busy && <p class="hint">{t.loading}</p>}
        {value !== null && problem === null && <Explanation of={value.explanation} />}
        {action !== OTHER_ACTION && (
          <div class="row">
            <a class="button" href={`/console/explain?${new URLSearchParams({ role, action, relation })}`}>
              {t.access.explain}
            </a>
          </div>
        )}
      </div>
    </section>
  )
}
