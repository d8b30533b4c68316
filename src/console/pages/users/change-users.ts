import { api, type LinkgateProblem, type User } from '../../api'
import { problemIn } from '../../parts/loaded'

interface ChangedUsers {
  readonly done: readonly User[]
  /** ids of those whom somebody else has deleted */
  readonly gone: ReadonlySet<string>
  /** how many were not changed, and the first reason */
  readonly failed: number
  readonly problem: LinkgateProblem | null
}

/** After one of these errors, no other user can be changed at the moment, either. */
const isAway = ({ status }: LinkgateProblem): boolean => status === 0 || status === 429 || status >= 500

/** Changes users one after the other; each is decided by itself. */
export const changeUsers = async (
  users: readonly Pick<User, 'id'>[],
  changes: { readonly role: string } | { readonly suspended: boolean },
): Promise<ChangedUsers> => {
  const done: User[] = []
  const gone = new Set<string>()
  let problem: LinkgateProblem | null = null
  for (const { id } of users) {
    try {
      done.push(await api.updateUser(id, changes))
    } catch (error) {
      const found = problemIn(error)
      problem ??= found
      if (found.status === 404) gone.add(id)
      if (isAway(found)) break
    }
  }
  return { done, gone, failed: users.length - done.length, problem }
}
