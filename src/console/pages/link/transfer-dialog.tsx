import { useSignal } from '@preact/signals'

import { api } from '../../api'
import type { LinkgateProblem, ManagedLink } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { idOfUser } from '../../parts/id-of-user'
import { problemIn } from '../../parts/loaded'
import { ProblemNote, faultsOf } from '../../parts/note'
import { textOf } from '../../parts/sign-in-form'

/** Gives a link to another user. */
export const TransferDialog = ({
  code,
  onGiven,
  onClose,
}: {
  readonly code: string
  readonly onGiven: (link: ManagedLink) => unknown
  readonly onClose: () => unknown
}) => {
  const problem = useSignal<LinkgateProblem | null>(null)
  const fault = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const give = async (typed: string) => {
    isBusy.value = true
    problem.value = null
    fault.value = undefined
    try {
      const id = await idOfUser(typed)
      if (id === null) fault.value = t.link.transfer.unknown
      else onGiven(await api.transferLink(code, { owner_id: id }))
    } catch (error) {
      problem.value = problemIn(error)
      fault.value = faultsOf(problem.value)['owner_id']
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={t.link.transfer.title(code)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void give(textOf(event.currentTarget, 'user').trim())
        }}
      >
        {problem.value !== null && fault.value === undefined && <ProblemNote problem={problem.value} />}
        <Field label={t.link.transfer.label} hint={t.link.transfer.hint} fault={fault.value}>
          {(names) => <input {...names} name="user" autocomplete="off" required />}
        </Field>
        <div class="row">
          <Button kind="main" type="submit" busy={isBusy.value}>
            {t.link.transfer.give}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
