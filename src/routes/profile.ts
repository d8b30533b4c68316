import { Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import { ADDRESS_LINK_MS, addressLink } from '../identity/address-change.js'
import { addressAskedMail, addressMail } from '../identity/mails.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import type { Profile } from '../layers/4-data/profile.js'
import { route } from '../layers/compose.js'
import { NO_DATA, type DataRule } from '../layers/rules.js'
import type { Route } from '../layers/route.js'
import type { Mailing } from './mailed-link.js'
import { ChangedProfile, profileUpdate } from './profile-schemas.js'
import { PROFILE_EXAMPLE, ProfileView, profileOf } from './schemas.js'
import { CHANGING_PROFILE, READING_PROFILE } from './shared-layers.js'

/** GET and PATCH /users/me. */
export const profileRoutes = ({
  profile,
  provePassword,
  hashPassword,
  sendMail,
  baseUrl,
}: Mailing & {
  readonly profile: DataRule<Profile>
  readonly provePassword: (user: User, password: string) => Promise<string | null>
  readonly hashPassword: (password: string) => Promise<string>
}): readonly Route[] => [
  route({
    ...READING_PROFILE,
    path: '/users/me',
    data: NO_DATA,
    handle: ({ record }) => ({ status: 200, body: profileOf(record.user) }),
    documentation: {
      id: 'getProfile',
      example: { answer: PROFILE_EXAMPLE },
      summary: 'Show the caller’s profile',
      tag: 'profile',
      response: ProfileView,
    },
  }),
  route({
    ...CHANGING_PROFILE,
    method: 'patch',
    path: '/users/me',
    status: 200,
    data: profile,
    body: profileUpdate(sendMail !== undefined),
    handle: async ({ store, record: { user }, body, layers }) => {
      const { name, email, password, current_password: current, end_tokens: endTokens } = body
      const needsPassword = password !== undefined || email !== undefined
      const mustProve = needsPassword || current !== undefined
      // counted like a sign-in, so that a stolen token cannot be used to guess the password more often
      if (mustProve) await layers.countAccount(user.email)
      const provenBy = mustProve ? await provePassword(user, current ?? '') : null
      if (mustProve && provenBy === null)
        throw new Refusal('validation_failed', {
          errors: [{ field: 'current_password', message: 'is not the password of this account' }],
        })
      const token = newOpaqueToken()
      const expiresAt = new Date(Date.now() + ADDRESS_LINK_MS)
      const unchanged = name === undefined && !needsPassword
      const updated = unchanged
        ? user
        : await store.update(
            user,
            {
              ...(name === undefined ? {} : { name }),
              ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
            },
            {
              provenBy,
              endTokens,
              newAddress: email === undefined ? undefined : { email, hash: hashOfToken(token), expiresAt },
            },
          )
      // whether the address is taken shows only when it is confirmed, to the person who reads its mail
      if (email !== undefined) {
        sendMail?.(addressMail(email, addressLink(baseUrl, token), expiresAt))
        sendMail?.(addressAskedMail(user.email))
      }
      return { status: 200, body: { ...profileOf(updated), unconfirmed_email: email }, unchanged }
    },
    documentation: {
      id: 'updateProfile',
      example: { body: { name: 'Ada Lovelace' }, answer: PROFILE_EXAMPLE },
      summary: 'Change the caller’s profile',
      description:
        'The name, the password or, once a link confirms it, the address. The last two count as a sign-in to the ' +
        'account.',
      tag: 'profile',
      response: ChangedProfile,
    },
  }),
]
