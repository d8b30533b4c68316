import { useSignal } from '@preact/signals'

import { api } from '../../api'
import { t } from '../../language/language'
import { useLoaded } from '../../parts/loaded'
import { WhenLoaded } from '../../parts/when-loaded'

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
  const loaded = useLoaded((signal) => api.getLinkRights(code, { signal }), [code])
  return (
    <WhenLoaded of={loaded}>
      {({ actions, revision }) => {
        const change = actions['link:update']
        const remove = actions['link:delete']
        const isSame = JSON.stringify(change) === JSON.stringify(remove)
        return (
          <>
            <p>{isSame ? t.link.who.both(change, isOwn) : t.link.who.change(change, isOwn)}</p>
            {!isSame && <p>{t.link.who.delete(remove, isOwn)}</p>}
            <p>{t.link.who.others}</p>
            <p class="caption">{t.revision(revision)}</p>
          </>
        )
      }}
    </WhenLoaded>
  )
}
