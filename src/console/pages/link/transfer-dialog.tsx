import { useSignal } from '@preact/signals'

import { api, type ManagedLink } from '../../api'
import { t } from '../../language/language'
import { Ask } from '../../parts/ask'
import { useAttempt } from '../../parts/attempt'
import { exactly } from '../../parts/exactly'
import { textOf } from '../../parts/form'
import { idOfUser } from '../../parts/id-of-user'
import { faultsOf } from '../../parts/note'

/** Transfers a link to another user. */
export const TransferDialog = ({
  code,
  link,
  onGiven,
  onClose,
}: {
  readonly code: string
  /** known only to callers who may change it */
  readonly link: ManagedLink | undefined
  readonly onGiven: (link: ManagedLink) => unknown
  readonly onClose: () => unknown
}) => {
  const isUnknown = useSignal(false)
  const { busy, problem, attempt } = useAttempt()
  const transfer = (to: { readonly owner_id: string }) =>
    link === undefined ? api.transferLink(code, to) : exactly(link, (match) => api.transferLink(code, to, match))
  const give = (typed: string) =>
    attempt(async () => {
      isUnknown.value = false
      const id = await idOfUser(typed)
      if (id === null) isUnknown.value = true
      else onGiven(await transfer({ owner_id: id }))
    })
  const fault = isUnknown.value ? t.link.transfer.unknown : faultsOf(problem.value)['owner_id']
  return (
    <Ask
      title={t.link.transfer.title(code)}
      label={t.link.transfer.label}
      hint={t.link.transfer.hint}
      fault={fault}
      action={t.link.transfer.give}
      problem={fault === undefined ? problem.value : null}
      isBusy={busy.value}
      onClose={onClose}
      onAnswer={(form) => give(textOf(form, 'user').trim())}
    >
      {(names) => <input {...names} name="user" autocomplete="off" required />}
    </Ask>
  )
}
