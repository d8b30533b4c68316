import { useSignal } from '@preact/signals'

import { api, type User } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { idOfUser } from '../../parts/id-of-user'
import { problemIn, useLoaded } from '../../parts/loaded'
import { ProblemNote, faultsOf } from '../../parts/note'
import { reasonFor } from '../../parts/service-rights'
import { say } from '../../parts/toast'

/** Deletes a user, and asks what to do with their links. */
export const DeleteDialog = ({
  user: { id, name },
  onDeleted,
  onGone,
  onClose,
}: {
  readonly user: User
  readonly onDeleted: () => unknown
  /** called if somebody else has deleted the user */
  readonly onGone?: () => unknown
  readonly onClose: () => unknown
}) => {
  const {
    value: count,
    problem: uncounted,
    busy: isCounting,
  } = useLoaded(
    async (signal) => (await api.listLinks({ owner_id: id, limit: 1, count: true }, { signal }).page()).count ?? 0,
    [id],
  )
  const choice = useSignal<'give' | 'delete'>('give')
  const fault = useSignal<string | undefined>(undefined)
  const { busy, problem, attempt } = useAttempt()
  // if their links are not visible, or were added since, the service reports them
  const hasLinks = (count ?? 0) > 0 || problem.value?.code === 'has_links' || uncounted !== null
  const reasons = { give: reasonFor('link:transfer'), delete: reasonFor('link:delete') }

  const remove = async (form: HTMLFormElement) => {
    await attempt(async () => {
      fault.value = undefined
      if (!hasLinks) await api.deleteUser(id)
      else if (choice.value === 'delete') await api.deleteUser(id, { links: 'delete' })
      else {
        const receiver = await idOfUser(textOf(form, 'receiver').trim())
        if (receiver === null || receiver === id) {
          fault.value = receiver === null ? t.link.transfer.unknown : t.users.deleteDialog.self
          return
        }
        await api.deleteUser(id, { links: `transfer:${receiver}` }).catch((error: unknown) => {
          fault.value = faultsOf(problemIn(error))['links']
          throw error
        })
      }
      say(t.users.deleteDialog.done(name))
      void onDeleted()
    })
    if (problem.peek()?.status === 404) void onGone?.()
  }

  return (
    <Dialog title={t.users.deleteDialog.title(name)} onClose={onClose}>
      <form class="stack" onSubmit={handleSubmit(remove)}>
        <p>{t.users.deleteDialog.lead}</p>
        {fault.value === undefined && <ProblemNote problem={problem.value} />}
        {isCounting && <p class="hint">{t.users.deleteDialog.counting}</p>}
        {!isCounting && !hasLinks && <p>{t.users.deleteDialog.noLinks}</p>}
        {!isCounting && hasLinks && (
          <fieldset class="stack">
            <legend>
              {count === null || count === 0 ? t.users.deleteDialog.unknown : t.users.deleteDialog.links(count)}
            </legend>
            {(['give', 'delete'] as const).map((each) => (
              <div key={each}>
                <label class="choice">
                  <input
                    type="radio"
                    name="links"
                    checked={choice.value === each}
                    onChange={() => (choice.value = each)}
                  />
                  {t.users.deleteDialog[each]}
                </label>
                {reasons[each] !== null && <p class="reason">{reasons[each]}</p>}
              </div>
            ))}
            {choice.value === 'give' && (
              <Field label={t.users.deleteDialog.receiver} hint={t.users.deleteDialog.receiverHint} fault={fault.value}>
                {(names) => <input {...names} name="receiver" autocomplete="off" required />}
              </Field>
            )}
          </fieldset>
        )}
        <div class="row">
          <Button
            kind="risk"
            icon="trash"
            type="submit"
            busy={busy.value || isCounting}
            off={hasLinks ? reasons[choice.value] : null}
          >
            {busy.value ? t.users.deleteDialog.doing : t.users.deleteDialog.do}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </div>
        <p class="hint">{t.users.deleteDialog.keep}</p>
      </form>
    </Dialog>
  )
}
