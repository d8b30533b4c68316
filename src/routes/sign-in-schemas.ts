import { z } from 'zod'

import { MOST_SIGN_INS } from '../layers/4-data/sign-ins.js'
import { Email, LinkToken, Password, Time, text } from './schemas.js'

export const ACCESS_TOKEN = {
  access_token: text(8_000, 'a JWT (RFC 9068) for `Authorization: Bearer`'),
  token_type: z.literal('Bearer').describe('how it is sent'),
  expires_in: z.int().min(1).max(86_400).describe('seconds until the access token expires'),
  scope: text(2_000, 'the scopes of the token, separated by spaces'),
}

export const TokenAnswer = z
  .object({ ...ACCESS_TOKEN, refresh_token: text(512, 'gets the next access token; can be used once') })
  .meta({ id: 'TokenAnswer', description: 'RFC 6749, section 5.1' })

// RFC 6749 §3.2: the server ignores parameters that it does not know
export const TokenRequest = z.object({
  grant_type: z.string().max(64).describe('`password`, with a username and a password, or `refresh_token`'),
  username: z.string().max(254).optional().describe('the address of the account'),
  password: z.string().max(256).optional().meta({ format: 'password', description: 'password of the account' }),
  refresh_token: z.string().max(512).optional().describe('from the previous response; can be used once'),
  scope: z
    .string()
    .max(1_000)
    .optional()
    .describe('names of actions, separated by spaces; default: all, limited by the role'),
})

export const RevokeRequest = z.object({
  token: z.string().min(1).max(8_000).describe('a refresh token'),
  token_type_hint: z.string().max(64).optional().describe('ignored'),
})

export const MailedLinkQuery = z.strictObject({ token: LinkToken })

export const MailedLinkView = z.object({
  email: text(254, 'the account’s address'),
  expires_at: Time.describe('when the link expires'),
})

export const ForgottenPassword = z.strictObject({ email: Email })

export const NewPassword = z.strictObject({
  token: LinkToken,
  password: Password,
  username: z.string().max(254).optional().describe('ignored; the form contains it for password managers'),
  // as a form sends it, too
  end_tokens: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .default(false)
    .describe('whether personal tokens end as well'),
})

export const ConfirmEmail = z.strictObject({ token: LinkToken })

export const ConfirmedEmail = z.object({ email: text(254, 'the new address') })

export const SignInId = z.uuid().meta({ maxLength: 36, description: 'id of the sign-in' })

export const SignInsView = z.object({
  data: z
    .array(
      z
        .object({
          id: SignInId,
          started_at: Time.describe('when it started'),
          last_used_at: Time.describe('when it last got an access token'),
          expires_at: Time.describe('when it expires'),
          current: z.boolean().describe('whether this request’s token comes from it'),
        })
        .meta({ id: 'SignIn', description: 'an active sign-in' }),
    )
    .max(MOST_SIGN_INS)
    .describe('most recently used first'),
})
