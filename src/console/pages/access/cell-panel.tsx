import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Question } from '../../../domain/decision-table.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { useLoaded } from '../../parts/loaded'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model'
import { Explanation } from '../../parts/policy/explanation'
import { WhenLoaded } from '../../parts/when-loaded'

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
        <Explained key={`${role} ${asked} ${relation} ${revision}`} {...{ role, action: asked, relation, revision }} />
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

const Explained = (question: Question & { readonly revision: number }) => {
  const loaded = useLoaded((signal) => api.explainDecision(question, { signal }), [])
  return <WhenLoaded of={loaded}>{({ explanation }) => <Explanation of={explanation} />}</WhenLoaded>
}
