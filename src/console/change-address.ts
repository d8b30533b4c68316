import { api, type Profile } from './api'
import { problemIn } from './parts/loaded'

/**
 * Changes the caller's own address. `asked`: a link was sent there, and opening it confirms the address. `set`: no mail
 * is sent here, so users who may change users set addresses directly. Throws LinkgateProblem.
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
      // a user who may not set addresses gets the error of their first request
      throw problemIn(second).status === 403 ? refused : second
    })
    return 'set'
  }
}
