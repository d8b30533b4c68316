import { LinkgateProblem, api, type ManagedLink } from '../api'
import { problemIn } from './loaded'

/**
 * Deletes the link that is shown, even if its settings have changed since. If another link has its code by now, fails
 * with `not_found`.
 */
export const deleteExactly = async (link: ManagedLink): Promise<void> => {
  try {
    await api.deleteLink(link.code, { ifMatch: link })
  } catch (error) {
    if (problemIn(error).status !== 412) throw error
    const now = await api.getLink(link.code)
    if (!('id' in now) || now.id !== link.id)
      throw new LinkgateProblem({ status: 404, code: 'not_found', title: 'Another link has its code' }, {})
    await api.deleteLink(now.code, { ifMatch: now })
  }
}
