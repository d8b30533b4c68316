import { z } from 'zod'

import { SCOPES, isScope } from '../domain/action.js'
import type { Scope as TokenScope } from '../domain/action.js'
import { Email, Id, Name, Password, ProfileView, Time, text } from './schemas.js'

/**
 * R7: every field that a profile update may set. `role` is not among them, nor anything else that grants rights. An
 * address is one only beside the password, and where a mail can confirm it.
 */
export const profileUpdate = (mayAskForAddress: boolean) =>
  z
    .strictObject({
      name: Name.optional(),
      email: Email.optional().describe('a link goes there, and it is the address once that is opened'),
      password: Password.optional(),
      current_password: z
        .string()
        .max(256)
        .optional()
        .meta({ format: 'password', description: 'beside a new password or address' }),
      end_tokens: z.boolean().default(false).describe('beside a new password: whether it ends personal tokens, too'),
    })
    .refine((body) => !has(body, 'email') || (mayAskForAddress && has(body, 'current_password')), {
      path: ['email'],
      message: mayAskForAddress ? 'is set with current_password beside it' : 'is not a field that may be set here',
      // beside other faults, too: every field that is not allowed is named
      when: () => true,
    })
    .refine((body) => body.password === undefined || body.current_password !== undefined, {
      path: ['current_password'],
      message: 'is required with a new password',
    })
    .refine((body) => body.password !== undefined || !body.end_tokens, {
      path: ['end_tokens'],
      message: 'goes with a new password',
    })

const has = (body: unknown, name: string): boolean => typeof body === 'object' && body !== null && name in body

export const ChangedProfile = ProfileView.extend({
  unconfirmed_email: text(254, 'the address to which a link was sent').optional(),
}).meta({ id: 'ChangedProfile' })

const DAY = 86_400

const LONGEST_DAYS = 365

const Scope = z
  .string()
  .refine((name): name is TokenScope => isScope(name), 'is not a scope of this service')
  .meta({ enum: [...SCOPES] })

export const TokenView = z
  .object({
    id: Id.describe('of the token'),
    name: text(100, 'what it is for'),
    scopes: z.array(text(65, 'an action')).max(50).describe('what it may be used for'),
    made_by: z
      .object({
        type: z.enum(['token', 'sign_in']).describe('what made it'),
        id: text(64, 'of the personal token, or of the sign-in'),
      })
      .nullable()
      .describe('for `descendants=true`; null: not known'),
    created_at: Time.describe('when it was made'),
    expires_at: Time.describe('when it ends'),
    last_used_at: Time.nullable().describe('within a minute or so'),
  })
  .meta({ id: 'PersonalToken', description: 'a personal token, without its value' })

export const TokensView = z.object({ data: z.array(TokenView).max(100).describe('the newest first') })

export const NewToken = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100).describe('what it is for'),
  scopes: z
    .array(Scope)
    .max(50)
    .transform((names) => [...new Set(names)])
    .meta({ description: 'of those that the requesting token has; empty: none' }),
  expires_in: z
    .number()
    .int()
    .min(60, 'must be at least 60 seconds')
    .max(LONGEST_DAYS * DAY, `must be at most ${LONGEST_DAYS} days, in seconds`)
    .default(90 * DAY)
    .describe('seconds'),
})

export const MadeToken = TokenView.extend({ token: text(100, 'the token itself, in this answer alone') }).meta({
  id: 'NewPersonalToken',
})

export const RevocationQuery = z.strictObject({
  descendants: z.enum(['true', 'false']).default('false').describe('with all that followed from it'),
})
