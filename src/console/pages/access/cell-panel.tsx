import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Question } from '../../../domain/decision-table.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { useLoaded } from '../../parts/loaded'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { policyRowIn } from '../../parts/policy/row'
import { RowsInOrder } from '../../parts/policy/rows-in-order'
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

/** The decision in a sentence, the endpoint's answer, and the rows in order of evaluation. */
const Explanation = ({ of }: { readonly of: Awaited<ReturnType<typeof api.explainDecision>>['explanation'] }) => {
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
        <RowsInOrder of={endpoint} />
      </div>
      <div>
        <h3>{t.policy.inOrder}</h3>
        <RowsInOrder of={object} />
      </div>
      <p class="caption">{t.policy.counts(role, inherits)}</p>
    </div>
  )
}
