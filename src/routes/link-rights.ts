import type { FindLink } from '../domain/link.js'
import type { FindUser } from '../domain/user.js'
import { route } from '../layers/compose.js'
import { NO_DATA } from '../layers/rules.js'
import type { Route } from '../layers/route.js'
import { whoMay } from '../policy/who-may.js'
import { LinkRightsView } from './rights-schemas.js'
import { readingManagedLink } from './shared-layers.js'

/**
 * GET /links/{code}/rights: who may change this link? Only for callers who may change it themselves, like its visits.
 */
export const linkRightsRoute = ({
  findLink,
  findUser,
}: {
  readonly findLink: FindLink
  readonly findUser: FindUser
}): Route =>
  route({
    ...readingManagedLink(findLink),
    path: '/links/:code/rights',
    data: NO_DATA,
    handle: async ({ record, snapshot, deadline }) => {
      const owner = record.owner_id === null ? null : await findUser(record.owner_id)
      return {
        status: 200,
        body: {
          revision: snapshot.revision,
          actions: {
            'link:update': await whoMay(snapshot, 'link:update', owner, deadline),
            'link:delete': await whoMay(snapshot, 'link:delete', owner, deadline),
          },
        },
      }
    },
    documentation: {
      id: 'getLinkRights',
      summary: 'Show who may change or delete a link',
      description: 'By the policy in force.',
      tag: 'links',
      response: LinkRightsView,
    },
  })
