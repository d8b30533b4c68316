import { z } from 'zod'

import type { User } from '../domain/user.js'
import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import type { Profile } from '../layers/4-data/profile.js'
import { NO_DATA, NO_INPUT } from '../layers/route.js'
import type { Caller, DataRule, Route } from '../layers/route.js'
import { Id, Time } from './schemas.js'

export interface ProfileParts {
  readonly profile: DataRule<Profile>
  /** true where the password is the user's */
  readonly checkPassword: (user: User, password: string) => Promise<boolean>
  readonly hashPassword: (password: string) => Promise<string>
  readonly findUser: (id: string) => Promise<User | null>
}

export const ProfileView = z
  .object({
    id: Id,
    email: z.string(),
    name: z.string(),
    role: z.string(),
    created_at: Time,
  })
  .meta({ id: 'Profile' })

const view = ({ id, email, name, role, created_at }: User) => ({ id, email, name, role, created_at })

/** One's own profile is a record that one owns: R5's question, asked of the rows that carry R7. */
const own = async (_params: unknown, caller: Promise<Caller> | Caller) => {
  const { user } = await caller
  return user && { owner_id: user.id, user }
}

/**
 * R7: the fields that a profile update may name, in full. `role` is not on the list, nor is anything else that decides
 * what its owner may do.
 */
const ProfileUpdate = z
  .strictObject({
    name: z.string().trim().min(1, 'must not be empty').max(200).optional(),
    password: z.string().min(8, 'must have at least 8 characters').max(256).optional(),
    current_password: z.string().max(256).optional(),
  })
  .refine((body) => body.password === undefined || body.current_password !== undefined, {
    path: ['current_password'],
    message: 'is required with a new password',
  })

/** GET and PATCH /users/me. */
export const profileRoutes = ({ profile, checkPassword, hashPassword, findUser }: ProfileParts): readonly Route[] => [
  route({
    method: 'get',
    path: '/users/me',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'profile:read', quota: 'caller' },
    endpoint: 'profile:read',
    object: { action: 'profile:read', load: own },
    data: NO_DATA,
    handle: ({ record }) => ({ status: 200, body: view(record.user) }),
    documentation: { summary: 'Show the caller’s own profile', tag: 'profile', response: ProfileView },
  }),

  route({
    method: 'patch',
    path: '/users/me',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'profile:update', quota: 'caller' },
    endpoint: 'profile:update',
    object: { action: 'profile:update', load: own },
    data: profile,
    body: ProfileUpdate,
    handle: async ({ store, record: { user }, body: { name, password, current_password: current } }) => {
      if (password !== undefined && !(await checkPassword(user, current ?? ''))) {
        throw new Refusal('validation_failed', {
          errors: [{ field: 'current_password', message: 'is not the password of this account' }],
        })
      }
      if (name !== undefined || password !== undefined) {
        await store.update({
          ...(name === undefined ? {} : { name }),
          ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
        })
      }
      const updated = await findUser(user.id)
      if (updated === null) throw new Refusal('not_found')
      return { status: 200, body: view(updated) }
    },
    documentation: { summary: 'Change the caller’s own name or password', tag: 'profile', response: ProfileView },
  }),
]
