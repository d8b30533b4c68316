import type { FindLink } from '../domain/link.js'
import type { FindUser } from '../domain/user.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import { whoMay } from '../policy/who-may.js'
import { LinkRightsView } from './rights-schemas.js'
import { ByCode } from './schemas.js'

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
    method: 'get',
    path: '/links/:code/rights',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'link:read', quota: 'caller' },
    endpoint: 'link:read',
    object: { action: 'link:read', and: 'link:update', load: ({ code }) => findLink(code) },
    data: NO_DATA,
    params: ByCode,
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
      summary: 'Who may change or delete a link, by the policy in force',
      tag: 'links',
      response: LinkRightsView,
    },
  })
