import { LinkgateProblem, api, type ManagedLink } from '../api'
import { isManaged } from './is-managed'
import { problemIn } from './loaded'

/**
 * Does something to the link that is shown, even if its settings have changed since. If another link has its code by
 * now, fails with `not_found`.
 */
export const exactly = async <Done>(
  link: ManagedLink,
  act: (match: { readonly ifMatch: ManagedLink }) => Promise<Done>,
): Promise<Done> => {
  try {
    return await act({ ifMatch: link })
  } catch (error) {
    if (problemIn(error).status !== 412) throw error
    const now = await api.getLink(link.code)
    if (!isManaged(now) || now.id !== link.id)
      throw new LinkgateProblem({ status: 404, code: 'not_found', title: 'Another link has its code' }, {})
    return act({ ifMatch: now })
  }
}

/** Deletes the link that is shown; see `exactly`. */
export const deleteExactly = (link: ManagedLink): Promise<void> =>
  exactly(link, (match) => api.deleteLink(link.code, match))

/** Switches the link that is shown on or off; see `exactly`. */
export const switchExactly = (link: ManagedLink): Promise<ManagedLink> =>
  exactly(link, (match) => api.updateLink(link.code, { active: !link.active }, match))
