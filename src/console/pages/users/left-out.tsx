import type { User } from '../../api'
import { t } from '../../language/language'

/** Users that an action applies to, and why it does not apply to the others. */
export interface Sorted {
  readonly can: readonly User[]
  readonly reasons: ReadonlyMap<string, number>
}

export const sortOut = (users: readonly User[], reasonFor: (user: User) => string | null): Sorted => {
  const can: User[] = []
  const reasons = new Map<string, number>()
  for (const user of users) {
    const reason = reasonFor(user)
    if (reason === null) can.push(user)
    else reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return { can, reasons }
}

/** Shows who will be left out, and why. */
export const LeftOut = ({ of, what }: { readonly of: Sorted; readonly what?: string }) => {
  const reasons = [...of.reasons]
  if (reasons.length === 0 || of.can.length === 0) return null
  const count = reasons.reduce((sum, [, each]) => sum + each, 0)
  return (
    <p class="reason whole">
      {what !== undefined && `${what}: `}
      {t.users.leftOut(count, reasons)}
    </p>
  )
}
