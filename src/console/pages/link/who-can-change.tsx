import { useSignal } from '@preact/signals'

import { api } from '../../api'
import { t } from '../../language/language'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'

/** Who may change and delete the link, by the policy; loaded when unfolded. */
export const WhoCanChange = ({ code, isOwn }: { readonly code: string; readonly isOwn: boolean }) => {
  const isOpen = useSignal(false)
  return (
    <details class="disclosure card-foot" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{t.link.who.title}</summary>
      {isOpen.value && <Answer code={code} isOwn={isOwn} />}
    </details>
  )
}

const Answer = ({ code, isOwn }: { readonly code: string; readonly isOwn: boolean }) => {
  const { state, again } = useLoaded((signal) => api.getLinkRights(code, { signal }), [code])
  const { value, problem, busy } = state.value
  if (problem !== null) return <ProblemNote problem={problem} onRetry={again} />
  if (value === null) return busy ? <p class="hint">{t.loading}</p> : null
  const change = value.actions['link:update']
  const remove = value.actions['link:delete']
  const isSame = JSON.stringify(change) === JSON.stringify(remove)
  return (
    <>
      <p>{isSame ? t.link.who.both(change, isOwn) : t.link.who.change(change, isOwn)}</p>
      {!isSame && <p>{t.link.who.delete(remove, isOwn)}</p>}
      <p>{t.link.who.others}</p>
      <p class="caption">{t.revision(value.revision)}</p>
    </>
  )
}
