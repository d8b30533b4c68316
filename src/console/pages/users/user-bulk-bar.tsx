import { useSignal } from '@preact/signals'

import type { User } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { useKeptFocus, useLeftFocus } from '../../parts/focus'
import { Note } from '../../parts/note'
import { say } from '../../parts/toast'
import { changeUsers } from './change-users'
import { LeftOut, sortOut, type Sorted } from './left-out'
import { RoleDialog } from './role-dialog'
import type { UserRights } from './use-user-rights'

/** The actions on all selected users; shows who will be left out, and why. */
export const UserBulkBar = ({
  selected,
  rights,
  onChanged,
  onGone,
  onClear,
}: {
  readonly selected: readonly User[]
  readonly rights: UserRights
  readonly onChanged: (users: readonly User[]) => unknown
  /** called with the ids of users who do not exist any more */
  readonly onGone: (ids: ReadonlySet<string>) => unknown
  readonly onClear: () => unknown
}) => {
  const asksRole = useSignal(false)
  const refused = useSignal<string | null>(null)
  const { busy, attempt } = useAttempt()
  const role = sortOut(selected, (user) => rights.offFor('role', user))
  const suspend = sortOut(selected, (user) => (user.suspended ? t.users.isSuspended : rights.offFor('suspend', user)))
  const back = sortOut(selected, (user) => (user.suspended ? rights.offFor('reactivate', user) : t.users.isActive))
  const reasonOf = ({ can, reasons }: Sorted) => (can.length > 0 ? null : ([...reasons.keys()][0] ?? null))
  const set = ({ can }: Sorted, suspended: boolean) =>
    attempt(async () => {
      refused.value = null
      const { done, gone, failed, problem } = await changeUsers(can, { suspended })
      void onChanged(done)
      if (done.length > 0) say(suspended ? t.users.suspendedNow(done.length) : t.users.isBack(done.length))
      if (problem === null) return
      refused.value = t.users.refused(failed, t.problem(problem))
      // this bar goes with the last of them
      if (gone.size === selected.length) say(refused.value)
      void onGone(gone)
    })
  return (
    <div ref={useLeftFocus<HTMLDivElement>()} class="bulk" role="group" aria-label={t.links.selected(selected.length)}>
      <strong>{t.links.selected(selected.length)}</strong>
      <span class="row push" {...useKeptFocus<HTMLSpanElement>()}>
        <Button icon="key" off={reasonOf(role)} onPress={() => (asksRole.value = true)}>
          {t.users.changeRole}
        </Button>
        {selected.some(({ suspended }) => suspended) && (
          <Button icon="play" busy={busy.value} off={reasonOf(back)} onPress={() => set(back, false)}>
            {t.users.reactivateMany(back.can.length)}
          </Button>
        )}
        {selected.some(({ suspended }) => !suspended) && (
          <Button kind="risk" icon="pause" busy={busy.value} off={reasonOf(suspend)} onPress={() => set(suspend, true)}>
            {t.users.suspendMany(suspend.can.length)}
          </Button>
        )}
        <Button kind="bare" onPress={onClear}>
          {t.links.clear}
        </Button>
      </span>
      <LeftOut of={role} what={t.users.changeRole} />
      <LeftOut of={suspend} what={t.users.suspend} />
      <LeftOut of={back} what={t.users.reactivate} />
      {refused.value !== null && <Note kind="deny" title={refused.value} />}
      {asksRole.value && (
        <RoleDialog
          users={selected}
          rights={rights}
          onChanged={onChanged}
          onGone={onGone}
          onClose={() => (asksRole.value = false)}
        />
      )}
    </div>
  )
}
