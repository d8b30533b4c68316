import { ACTIONS } from '../domain/action.js'
import { stateOf, type FindLink, type Link } from '../domain/link.js'
import { route } from '../layers/compose.js'
import { NO_DATA, noRecord } from '../layers/rules.js'
import type { Caller } from '../layers/caller.js'
import type { Right } from '../layers/handler-layers.js'
import type { Route } from '../layers/route.js'
import { roleOf, type Snapshot } from '../policy/snapshot.js'
import { AskedRights, LINK_ACTIONS, OwnRightsView } from './rights-schemas.js'
import { READING_PROFILE } from './shared-layers.js'
import { seesWhole } from './visible-link.js'

/** Whether GET /links/{code} shows the caller anything of the link. */
const isShown = (snapshot: Snapshot, caller: Caller, link: Link): boolean =>
  seesWhole(snapshot, caller, link) ||
  (snapshot.can(caller.user, 'link:read', link) && stateOf(link, Date.now()) === 'open')

const rightsTo = <Name extends string>(names: readonly Name[], ask: (name: Name) => Right) =>
  Object.fromEntries(names.map((name) => [name, ask(name)]))

/** POST /users/me/rights: checks many rights at once, so that a page knows what it must not offer. */
export const ownRightsRoute = ({ findLink }: { readonly findLink: FindLink }): Route =>
  route({
    ...READING_PROFILE,
    method: 'post',
    path: '/users/me/rights',
    data: NO_DATA,
    body: AskedRights,
    storesInput: false,
    handle: async ({ body, record: { user }, caller, snapshot, layers }) => {
      // looked up in the same turn, so they share one query
      const found = await Promise.all([...new Set(body.codes)].map((code) => findLink(code)))
      const links = found.flatMap((link) => (link !== null && isShown(snapshot, caller, link) ? [link] : []))
      return {
        status: 200,
        body: {
          revision: snapshot.revision,
          role: roleOf(user),
          service: rightsTo(ACTIONS, (action) => layers.rightTo(action, noRecord())),
          links: links.map((link) => ({
            code: link.code,
            rights: rightsTo(LINK_ACTIONS, (action) => layers.rightTo(action, link)),
          })),
        },
      }
    },
    documentation: {
      id: 'getOwnRights',
      example: { body: { codes: ['spring'] } },
      summary: 'Show the caller’s rights',
      description: 'What the caller may do, to the given links as well; links that they cannot see are left out.',
      tag: 'profile',
      response: OwnRightsView,
    },
  })
