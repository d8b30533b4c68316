import { useSignal } from '@preact/signals'

import type { User } from '../../api'
import { t } from '../../language/language'
import { loadMe } from '../../me'
import { userId } from '../../session'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field, Options } from '../../parts/field'
import { handleSubmit } from '../../parts/form'
import { Note, ProblemNote } from '../../parts/note'
import { useRoles } from '../../parts/roles'
import { say } from '../../parts/toast'
import { changeUsers } from './change-users'
import { LeftOut, sortOut } from './left-out'
import type { UserRights } from './use-user-rights'

/** Gives a role to one or many users; shows who will be left out, and why. */
export const RoleDialog = ({
  users,
  rights: { offFor, offToGive },
  onChanged,
  onGone,
  onClose,
}: {
  readonly users: readonly User[]
  readonly rights: UserRights
  readonly onChanged: (users: readonly User[]) => unknown
  /** called with the ids of users who do not exist any more */
  readonly onGone?: (ids: ReadonlySet<string>) => unknown
  readonly onClose: () => unknown
}) => {
  const roles = useRoles()
  const [first] = users
  const role = useSignal(users.every((user) => user.role === first?.role) ? (first?.role ?? '') : 'viewer')
  const refused = useSignal<string | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const sorted = sortOut(users, (user) => offFor('role', user) ?? (user.role === role.value ? t.users.hasIt : null))
  const [only] = sorted.reasons.keys()
  const off = offToGive(role.value) ?? (sorted.can.length === 0 ? (only ?? null) : null)
  const give = () =>
    attempt(async () => {
      refused.value = null
      const { done, gone, failed, problem: why } = await changeUsers(sorted.can, { role: role.value })
      if (done.length > 0) {
        void onChanged(done)
        if (done.some(({ id }) => id === userId())) void loadMe()
        say(t.users.roleDialog.given(done.length, role.value))
      }
      if (gone.size > 0) void onGone?.(gone)
      if (why === null) void onClose()
      else if (users.length === 1) throw why
      else refused.value = t.users.refused(failed, t.problem(why))
    })
  return (
    <Dialog
      title={
        users.length === 1 ? t.users.roleDialog.title(first?.name ?? '') : t.users.roleDialog.titleMany(users.length)
      }
      onClose={onClose}
    >
      <form class="stack" onSubmit={handleSubmit(() => off === null && give())}>
        <ProblemNote problem={problem.value} />
        {refused.value !== null && <Note kind="deny" title={refused.value} />}
        {sorted.can.some(({ id }) => id === userId()) && <Note kind="lit" title={t.users.roleDialog.self} />}
        <Field label={t.users.columns.role} hint={t.users.roleDialog.hint}>
          {(names) => (
            <select {...names} value={role.value} onChange={({ currentTarget }) => (role.value = currentTarget.value)}>
              <Options names={new Set([...roles, role.value])} />
            </select>
          )}
        </Field>
        <LeftOut of={sorted} />
        <div class="row">
          <Button kind="main" type="submit" busy={busy.value} off={off}>
            {t.users.roleDialog.give(Math.max(1, sorted.can.length))}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
