import { z } from 'zod'

import type { Link } from '../domain/link.js'
import type { User } from '../domain/user.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import { whoMay } from '../policy/who-may.js'
import type { Who } from '../policy/who-may.js'
import { Code, RevisionNumber, Role, text } from './schemas.js'

const ByCode = z.object({ code: Code })
const rule = text(16, 'by which the policy lets them')

const WhoView = z.discriminatedUnion('who', [
  z.object({ who: z.literal('owner').describe('may do it to what is theirs alone'), rule }),
  z.object({ who: z.literal('role').describe('may do it to anybody’s'), role: Role, rule }),
]) satisfies z.ZodType<Who>

const Whos = z.array(WhoView).max(100_000)

export const LinkRightsView = z
  .object({
    revision: RevisionNumber,
    actions: z
      .object({ 'link:update': Whos.describe('who may change it'), 'link:delete': Whos.describe('who may delete it') })
      .describe('who may do it'),
  })
  .meta({ id: 'LinkRights', description: 'the owner, and the roles that rows name' })

/** GET /links/{code}/rights: who may change this? For whoever may change it themselves, as its visits. */
export const linkRightsRoute = ({
  findLink,
  findUser,
}: {
  readonly findLink: (code: string) => Promise<Link | null>
  readonly findUser: (id: string) => Promise<User | null>
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
    handle: async ({ record, snapshot }) => {
      const owner = record.owner_id === null ? null : await findUser(record.owner_id)
      return {
        status: 200,
        body: {
          revision: snapshot.revision,
          actions: {
            'link:update': await whoMay(snapshot, 'link:update', owner),
            'link:delete': await whoMay(snapshot, 'link:delete', owner),
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
