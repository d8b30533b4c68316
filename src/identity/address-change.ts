import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { rowAsIdentity } from './as-identity.js'
import { findMailedLink, lockAccount, type MailedLink } from './mailed-link.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'
import { originOf, type SignInRequest } from './sign-in.js'

/** How long a link for confirming a new address works. */
export const ADDRESS_LINK_MS = 86_400_000

/** The URL for confirming the address with a link's token. */
export const addressLink = (baseUrl: string, token: string): string => `${baseUrl}/auth/email/confirm?token=${token}`

// One statement: if two race, the second waits for the token's row, and finds it gone.
const CONFIRM = `
  with used as (
    delete from account_tokens where token_hash = $1 and purpose = 'address' and expires_at > now()
    returning user_id, email
  ), before as (
    select u.id, u.email from users u join used on used.user_id = u.id
  ), changed as (
    update users u set email = used.email, updated_at = now(), version = version + 1
      from used where u.id = used.user_id and u.suspended_at is null returning u.id, u.email
  )
  select before.email as old, changed.email as new, record_link_used(id, 'address') from changed join before using (id)`

export interface ChangedAddress {
  readonly old: string
  readonly new: string
}

/** Changes of address, confirmed by a link sent to the new one. Only the SHA-256 of a link's token is stored. */
export const createAddressChange = (database: Database) => ({
  /** The address that a link confirms, and its expiry; null if the link does not work, or no longer works. */
  find: async (token: string): Promise<MailedLink | null> =>
    isOpaqueToken(token) ? findMailedLink(database, 'address', token) : null,

  /**
   * Gives the account its new address. Null if the link does not work, or if another account has the address by now.
   */
  confirm: async (token: string, request: SignInRequest): Promise<ChangedAddress | null> => {
    if (!isOpaqueToken(token)) return null
    const hash = hashOfToken(token)
    try {
      const statements = [originOf(request, null), lockAccount(hash), { text: CONFIRM, values: [hash] }]
      return (await rowAsIdentity<ChangedAddress>(database, statements, request.deadline)) ?? null
    } catch (error) {
      // saying so would reveal who has an account
      if (violates(error, 'users_email_key')) return null
      throw error
    }
  },
})

export type AddressChange = ReturnType<typeof createAddressChange>
