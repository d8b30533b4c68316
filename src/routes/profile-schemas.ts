import { z } from 'zod'

import { SCOPES } from '../domain/action.js'
import { Email, Id, Name, Password, ProfileView, Switch, Time, text } from './schemas.js'

/**
 * R7: every field that a profile update may set. Neither `role` nor anything else that grants rights is among them.
 * `email` is allowed only together with the password, and only if a mail can confirm it.
 */
export const profileUpdate = (mayAskForAddress: boolean) =>
  z
    .strictObject({
      name: Name.optional(),
      email: Email.optional().describe('a link is sent there; opening it confirms the new address'),
      password: Password.optional(),
      current_password: z
        .string()
        .max(256)
        .optional()
        .meta({ format: 'password', description: 'required with a new password or address' }),
      end_tokens: z.boolean().default(false).describe('with a new password: whether personal tokens end as well'),
    })
    .refine((body) => !has(body, 'email') || (mayAskForAddress && has(body, 'current_password')), {
      path: ['email'],
      message: mayAskForAddress ? 'requires current_password' : 'is changed by an admin, since no mail can confirm it',
      // also if there are other faults: every field that is not allowed is reported
      when: () => true,
    })
    .refine((body) => body.password === undefined || body.current_password !== undefined, {
      path: ['current_password'],
      message: 'is required with a new password',
    })
    .refine((body) => body.password !== undefined || !body.end_tokens, {
      path: ['end_tokens'],
      message: 'is only allowed with a new password',
    })

const has = (body: unknown, name: string): boolean => typeof body === 'object' && body !== null && name in body

export const ChangedProfile = ProfileView.extend({
  unconfirmed_email: text(254, 'the address that the link was sent to').optional(),
}).meta({ id: 'ChangedProfile' })

const DAY = 86_400

const LONGEST_DAYS = 365

const Scope = z.enum(SCOPES, 'is not a scope of this service')

const TokenView = z
  .object({
    id: Id.describe('id of the token'),
    name: text(100, 'what it is for'),
    scopes: z.array(text(65, 'an action')).max(50).describe('the scopes of the token'),
    made_by: z
      .object({
        type: z.enum(['token', 'sign_in']).describe('what made it'),
        id: text(64, 'id of the personal token or the sign-in'),
      })
      .nullable()
      .describe('what it was made with, for `descendants=true`; null: unknown'),
    created_at: Time.describe('when it was created'),
    expires_at: Time.describe('when it expires'),
    last_used_at: Time.nullable().describe('accurate to about a minute'),
  })
  .meta({ id: 'PersonalToken', description: 'a personal token, without its value' })

export const TokensView = z.object({ data: z.array(TokenView).max(100).describe('oldest first') })

export const NewToken = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100).describe('what it is for'),
  scopes: z
    .array(Scope)
    .max(50)
    .transform((names) => [...new Set(names)])
    .meta({ description: 'only scopes of the requesting token; empty: none' }),
  expires_in: z
    .number()
    .min(60, { error: 'must be at least 60 seconds', abort: true })
    .max(LONGEST_DAYS * DAY, { error: `must be at most ${LONGEST_DAYS} days, in seconds`, abort: true })
    .int()
    .default(90 * DAY)
    .describe('lifetime in seconds'),
})

export const MadeToken = TokenView.extend({
  token: text(100, 'the token itself; only this response contains it'),
}).meta({
  id: 'NewPersonalToken',
})

export const RevocationQuery = z.strictObject({
  descendants: Switch.describe('whether tokens made with it are revoked as well'),
})
