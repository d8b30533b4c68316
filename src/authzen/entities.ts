import { isId } from '../domain/id.js'
import type { Link, Owned } from '../domain/link.js'
import { isUserRole } from '../domain/role.js'
import type { Subject, User } from '../domain/user.js'
import type { Evaluation } from './request.js'

export interface EntityParts {
  readonly findUser: (id: string) => Promise<User | null>
  readonly findLink: (code: string) => Promise<Link | null>
}

/** Who a question is about; `ours`: a user of this service, as their row says. */
export interface Asked {
  readonly subject: Subject
  readonly ours: boolean
}

/** Turns the subjects and resources of questions into what the policy may know of them. */
export const createEntities = ({ findUser, findLink }: EntityParts) => ({
  /**
   * Ours take their role from their row, whatever the question claims; the role of a suspended one counts for nothing.
   * Others have the role that the question gives them; one who has none, or one that is no role, is nobody.
   */
  subjectOf: async ({ type, id, properties }: Evaluation['subject']): Promise<Asked> => {
    if (type === 'user') {
      const user = await findUser(id)
      if (user !== null) return { subject: user, ours: true }
    }
    const role = properties?.['role']
    return { subject: type !== 'anonymous' && isUserRole(role) ? { id, role } : null, ours: false }
  },

  /**
   * A record of ours has the owner that this service gives it, and only users of ours own one: an id of elsewhere that
   * happens to be the same is somebody else's. A record of another application has the owner that is given.
   */
  recordOf: async ({ type, id, properties }: Evaluation['resource'], { ours }: Asked): Promise<Owned | null> => {
    if (type === 'link') return ours ? findLink(id) : null
    if (type === 'policy' || type === 'audit') return null
    // the record of a user is their own
    if ((type === 'user' || type === 'profile') && isId(id)) return ours ? { owner_id: id } : null
    const owner = properties?.['owner_id']
    return typeof owner === 'string' ? { owner_id: owner } : null
  },
})
