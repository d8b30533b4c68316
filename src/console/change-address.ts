import { api } from './api'
import type { Profile } from './api'
import { problemIn } from './parts/loaded'

/**
 * Changes the caller's own address. `asked`: a link went there, and it is theirs once they open it. `set`: no mail is
 * sent here, so that whoever may change users sets addresses. Throws LinkgateProblem.
 */
export const changeAddress = async (
  { id }: Pick<Profile, 'id'>,
  { email, currentPassword }: { readonly email: string; readonly currentPassword: string },
): Promise<'asked' | 'set'> => {
  try {
    await api.updateProfile({ email, current_password: currentPassword })
    return 'asked'
  } catch (error) {
    const refused = problemIn(error)
    if (!refused.errors.some(({ field }) => field === 'email')) throw refused
    await api.updateUser(id, { email }).catch((second: unknown) => {
      // who may not set addresses is told what was wrong with their own request
      throw problemIn(second).status === 403 ? refused : second
    })
    return 'set'
  }
}
