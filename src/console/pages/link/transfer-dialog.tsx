import { useSignal } from '@preact/signals'

import { api } from '../../api'
import type { ManagedLink } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { idOfUser } from '../../parts/id-of-user'
import { ProblemNote, faultsOf } from '../../parts/note'

export const TransferDialog = ({
  code,
  onGiven,
  onClose,
}: {
  readonly code: string
  readonly onGiven: (link: ManagedLink) => unknown
  readonly onClose: () => unknown
}) => {
  const isUnknown = useSignal(false)
  const { busy, problem, attempt } = useAttempt()
  const give = (typed: string) =>
    attempt(async () => {
      isUnknown.value = false
      const id = await idOfUser(typed)
      if (id === null) isUnknown.value = true
      else onGiven(await api.transferLink(code, { owner_id: id }))
    })
  const fault = isUnknown.value ? t.link.transfer.unknown : faultsOf(problem.value)['owner_id']
  return (
    <Dialog title={t.link.transfer.title(code)} onClose={onClose}>
      <form class="stack" onSubmit={handleSubmit((form) => give(textOf(form, 'user').trim()))}>
        {fault === undefined && <ProblemNote problem={problem.value} />}
        <Field label={t.link.transfer.label} hint={t.link.transfer.hint} fault={fault}>
          {(names) => <input {...names} name="user" autocomplete="off" required />}
        </Field>
        <div class="row">
          <Button kind="main" type="submit" busy={busy.value}>
            {t.link.transfer.give}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
