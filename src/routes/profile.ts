import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import type { Profile } from '../layers/4-data/profile.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import { ownAccount } from './own-account.js'
import { Name, Password, ProfileView } from './schemas.js'

const view = ({ id, email, name, role, created_at }: User) => ({ id, email, name, role, created_at })

/** R7: every field that a profile update may set. `role` is not among them, nor anything else that grants rights. */
const ProfileUpdate = z
  .strictObject({
    name: Name.optional(),
    password: Password.optional(),
    current_password: z.string().max(256).optional(),
    end_tokens: z.boolean().default(false),
  })
  .refine((body) => body.password === undefined || body.current_password !== undefined, {
    path: ['current_password'],
    message: 'is required with a new password',
  })
  .refine((body) => body.password !== undefined || !body.end_tokens, {
    path: ['end_tokens'],
    message: 'goes with a new password',
  })

/** GET and PATCH /users/me. */
export const profileRoutes = ({
  profile,
  checkPassword,
  hashPassword,
  findUser,
}: {
  readonly profile: DataRule<Profile>
  readonly checkPassword: (user: User, password: string) => Promise<boolean>
  readonly hashPassword: (password: string) => Promise<string>
  readonly findUser: (id: string) => Promise<User | null>
}): readonly Route[] => [
  route({
    method: 'get',
    path: '/users/me',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'profile:read', quota: 'caller' },
    endpoint: 'profile:read',
    object: { action: 'profile:read', load: ownAccount },
    data: NO_DATA,
    handle: ({ record }) => ({ status: 200, body: view(record.user) }),
    documentation: { summary: 'Show the caller’s profile', tag: 'profile', response: ProfileView },
  }),
  route({
    method: 'patch',
    path: '/users/me',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'profile:update', quota: 'caller' },
    endpoint: 'profile:update',
    object: { action: 'profile:update', load: ownAccount },
    data: profile,
    body: ProfileUpdate,
    handle: async ({ store, record: { user }, body, countAccount }) => {
      const { name, password, current_password: current, end_tokens: endTokens } = body
      // a guess at the password, like a sign-in: whoever stole a token must not have more of them
      if (password !== undefined) await countAccount(user.email)
      if (password !== undefined && !(await checkPassword(user, current ?? '')))
        throw new Refusal('validation_failed', {
          errors: [{ field: 'current_password', message: 'is not the password of this account' }],
        })
      if (name !== undefined || password !== undefined)
        await store.update(
          {
            ...(name === undefined ? {} : { name }),
            ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
          },
          { endTokens },
        )
      const updated = await findUser(user.id)
      if (updated === null) throw new Refusal('not_found')
      return { status: 200, body: view(updated) }
    },
    documentation: {
      summary: 'Change the caller’s name or password; a new password counts as a sign-in of the account',
      tag: 'profile',
      response: ProfileView,
    },
  }),
]
