import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { asIdentity } from './as-identity.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'
import { originOf } from './sign-in.js'
import type { SignInRequest } from './sign-in.js'

/** How long a link for confirming a new address works. */
export const ADDRESS_LINK_MS = 86_400_000

/** The URL for confirming the address with a link's token. */
export const addressLink = (baseUrl: string, token: string): string => `${baseUrl}/auth/email/confirm?token=${token}`

const FIND = `
  select t.email, t.expires_at from account_tokens t join users u on u.id = t.user_id
   where t.token_hash = $1 and t.purpose = 'address' and t.expires_at > now() and u.suspended_at is null`

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

/** A valid link for confirming an address. */
export interface AddressLink {
  readonly email: string
  readonly expiresAt: Date
}

/** Changes of address, confirmed by a link sent to the new one. Only the SHA-256 of a link's token is stored. */
export const createAddressChange = (database: Database) => ({
  /** The address that a link confirms, and its expiry. Changes nothing, because mail scanners open links. */
  find: async (token: string): Promise<AddressLink | null> => {
    if (!isOpaqueToken(token)) return null
    const [found] = await asIdentity(database, [{ text: FIND, values: [hashOfToken(token)] }])
    const link: { readonly email: string; readonly expires_at: Date } | undefined = found?.rows[0]
    return link === undefined ? null : { email: link.email, expiresAt: link.expires_at }
  },

  /**
   * Gives the account its new address. Null if the link does not work, or if another account has the address by now.
   */
  confirm: async (
    token: string,
    request: SignInRequest,
  ): Promise<{ readonly old: string; readonly new: string } | null> => {
    if (!isOpaqueToken(token)) return null
    const confirm = { text: CONFIRM, values: [hashOfToken(token)] }
    try {
      const [, changed] = await asIdentity(database, [originOf(request, null), confirm], request.deadline)
      const row: { readonly old: string; readonly new: string } | undefined = changed?.rows[0]
      return row === undefined ? null : { old: row.old, new: row.new }
    } catch (error) {
      // saying so would reveal who has an account
      if (violates(error, 'users_email_key')) return null
      throw error
    }
  },
})

export type AddressChange = ReturnType<typeof createAddressChange>
