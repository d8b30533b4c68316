import { z } from 'zod'

import type { Action } from '../domain/action.js'
import type { FindUser } from '../domain/user.js'
import { noHeir } from '../identity/heir.js'
import type { UserDeletion } from '../layers/4-data/user-deletion.js'
import type { Users } from '../layers/4-data/users.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { NO_DATA, noRecord, type DataRule } from '../layers/rules.js'
import { Id, PROFILE_EXAMPLE, pageOf, withCount } from './schemas.js'
import { asking, reading, userById } from './shared-layers.js'
import { UserDeletionQuery, UserListQuery, UserView, userUpdate } from './user-schemas.js'

const ById = z.object({ id: Id.describe('id of the user') })

/** GET /users, and GET, PATCH and DELETE /users/{id}. A user owns their own record. */
export const userRoutes = ({
  users,
  deletion,
  findUser,
  setsAddresses,
}: {
  readonly users: (action: Action) => DataRule<Users>
  readonly deletion: DataRule<UserDeletion>
  readonly findUser: FindUser
  /** true if no mail can confirm a new address, so that an admin sets it */
  readonly setsAddresses: boolean
}): readonly Route[] => {
  const load = userById(findUser)
  return [
    route({
      ...reading('user:read', noRecord),
      path: '/users',
      data: users('user:read'),
      query: UserListQuery,
      handle: async ({ store, query: { count, limit, cursor, ...filter } }) => {
        const page = store.page({ ...filter, limit, cursor })
        return { status: 200, body: await withCount(page, count, () => store.countListed(filter)) }
      },
      documentation: {
        id: 'listUsers',
        summary: 'List users',
        description: 'Newest first.',
        tag: 'users',
        response: pageOf(UserView),
      },
    }),
    route({
      ...reading('user:read', load),
      path: '/users/:id',
      data: NO_DATA,
      params: ById,
      handle: ({ record }) => ({ status: 200, body: record.user }),
      documentation: {
        id: 'getUser',
        example: { answer: { ...PROFILE_EXAMPLE, suspended: false } },
        summary: 'Show a user',
        tag: 'users',
        response: UserView,
      },
    }),
    route({
      ...asking('user:update', load),
      method: 'patch',
      path: '/users/:id',
      status: 200,
      data: users('user:update'),
      params: ById,
      body: userUpdate(setsAddresses),
      handle: async ({ store, record: { user }, body }) => {
        const unchanged = Object.keys(body).length === 0
        return { status: 200, body: unchanged ? user : await store.update(user, body), unchanged }
      },
      documentation: {
        id: 'updateUser',
        refusals: ['last_admin', 'email_taken'],
        example: { body: { role: 'editor' }, answer: { ...PROFILE_EXAMPLE, suspended: false } },
        summary: 'Change a user',
        description:
          'Their role, or whether they are suspended; takes effect at their next request. Without a mail server, ' +
          'their address.',
        tag: 'users',
        response: UserView,
      },
    }),
    route({
      ...asking('user:delete', load),
      method: 'delete',
      path: '/users/:id',
      status: 204,
      data: deletion,
      params: ById,
      query: UserDeletionQuery,
      handle: async ({ store, record: { user }, query: { links } }) => {
        if (typeof links === 'object' && (links.to === user.id || (await findUser(links.to)) === null)) throw noHeir()
        await store.delete(user, links)
        return { status: 204 }
      },
      documentation: {
        id: 'deleteUser',
        refusals: ['last_admin', 'has_links', 'too_many_links', 'validation_failed'],
        summary: 'Delete a user',
        description: 'With everything they own. Their links are deleted as well, or go to another user.',
        tag: 'users',
      },
    }),
  ]
}
