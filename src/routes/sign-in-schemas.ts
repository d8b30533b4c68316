import { z } from 'zod'

import { Email, LinkToken, Password, Time, text } from './schemas.js'

export const TokenAnswer = z
  .object({
    access_token: text(8_000, 'a JWT (RFC 9068) for `Authorization: Bearer`'),
    token_type: z.literal('Bearer').describe('how it is sent'),
    expires_in: z.int().min(1).max(86_400).describe('seconds until the access token ends'),
    refresh_token: text(512, 'gets the next access token, once'),
    scope: text(2_000, 'what the token may be used for, separated by spaces'),
  })
  .meta({ id: 'TokenAnswer', description: 'RFC 6749, section 5.1' })

// RFC 6749 §3.2: the server ignores parameters that it does not know
export const TokenRequest = z.object({
  grant_type: z.string().max(64).describe('`password`, with a username and a password, or `refresh_token`'),
  username: z.string().max(254).optional().describe('the address of the account'),
  password: z.string().max(256).optional().meta({ format: 'password', description: 'of the account' }),
  refresh_token: z.string().max(512).optional().describe('of the answer before; each can be used once'),
  scope: z
    .string()
    .max(1_000)
    .optional()
    .describe('names of actions, separated by spaces; all unless given, of which the role allows some'),
})

export const RevokeRequest = z.object({
  token: z.string().min(1).max(512).describe('a refresh token'),
  token_type_hint: z.string().max(64).optional().describe('ignored'),
})

export const MailedLinkQuery = z.strictObject({ token: LinkToken })

export const MailedLinkView = z.object({
  email: text(254, 'whose link it is'),
  expires_at: Time.describe('when it ends'),
})

export const ForgottenPassword = z.strictObject({ email: Email })

export const NewPassword = z.strictObject({
  token: LinkToken,
  password: Password,
  username: z.string().max(254).optional().describe('ignored: the form has it for password managers'),
  // as a form sends it, too
  end_tokens: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .default(false)
    .describe('whether personal tokens end as well'),
})

export const ConfirmEmail = z.strictObject({ token: LinkToken })

export const ConfirmedEmail = z.object({ email: text(254, 'the new address') })
