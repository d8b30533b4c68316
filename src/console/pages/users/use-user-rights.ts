import { useMemo } from 'preact/hooks'

import { api, type User } from '../../api'
import { t } from '../../language/language'
import { me } from '../../me'
import { userId } from '../../session'
import { useLoaded } from '../../parts/loaded'
import { may, reasonFor } from '../../parts/service-rights'
import { mayGiveIn } from './may-give'

type UserAct = 'role' | 'suspend' | 'reactivate' | 'delete'

/** What the caller may do to users, by the policy: nobody can raise themselves, or change users with more rights. */
export const useUserRights = () => {
  const mayReadPolicy = may('policy:read')
  const { value: table } = useLoaded(
    async (signal) => (mayReadPolicy ? (await api.getPolicyTable({}, { signal })).decisions : null),
    [mayReadPolicy],
  )
  const mayGive = useMemo(() => (table === null ? null : mayGiveIn(table)), [table])
  /** why the caller may not give out a role */
  const offToGive = (role: string): string | null => {
    const own = me.value?.role
    return own === undefined || mayGive === null || mayGive(own, role) ? null : t.users.above(role)
  }
  return {
    offToGive,
    /** why this cannot be done to this user; null if it can, and while that is unknown */
    offFor: (act: UserAct, { id, role }: User): string | null => {
      const isSelf = id === userId()
      return (
        reasonFor(act === 'delete' ? 'user:delete' : 'user:update') ??
        (isSelf && act !== 'role' ? t.users.notSelf : offToGive(role))
      )
    },
  }
}
export type UserRights = ReturnType<typeof useUserRights>
