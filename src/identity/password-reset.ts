import type { Database } from '../database/database.js'
import { createGate } from '../domain/gate.js'
import { rowAsIdentity } from './as-identity.js'
import { findMailedLink, lockAccount, type MailedLink } from './mailed-link.js'
import { hashOfToken, isOpaqueToken, isShortToken, newOpaqueToken } from './opaque-token.js'
import { tooManyWait } from './password.js'
import { originOf, type SignInRequest } from './sign-in.js'

/** How long a link for choosing a new password works. */
export const PASSWORD_LINK_MS = 3_600_000

/** The URL for choosing a password with a link's token. */
export const passwordLink = (baseUrl: string, token: string): string => `${baseUrl}/auth/password/reset?token=${token}`

/** The most live links of one account, so that nobody can flood a mailbox. */
const MOST_LINKS = 3

/** Serializes requests for one account, so that the second counts the first one's link. */
const LOCK_ACCOUNT = 'select from users where lower(email) = lower($1) for no key update'

// Also deletes all expired links, so that the table holds only working ones. `skip locked`: a change of another account
// that ends its links never waits in a circle with this.
const ASK = `
  with account as (
    select u.id, u.email from users u
     where lower(u.email) = lower($1) and u.suspended_at is null
       and ${MOST_LINKS} > (select count(*) from account_tokens t
         where t.user_id = u.id and t.purpose = 'password' and t.expires_at > now())
  ), swept as (
    delete from account_tokens
     where id in (select id from account_tokens where expires_at <= now() for update skip locked)
  ), added as (
    insert into account_tokens (user_id, purpose, token_hash, expires_at)
    select id, 'password', $2, $3 from account returning user_id
  )
  select email from account join added on id = user_id`

/** Taken before the account's row lock: it waits for running changes (lock_rights.sql). */
const LOCK = 'select lock_rights(null, user_id) from account_tokens where token_hash = $1'

// One statement: if two race, the second waits for the token's row, and finds it gone.
const RESET = `
  with used as (
    delete from account_tokens where token_hash = $1 and purpose = 'password' and expires_at > now() returning user_id
  ), changed as (
    update users set password_hash = $2, updated_at = now(), version = version + 1
     where id in (select user_id from used) and suspended_at is null returning id
  ), signed_out as (
    update refresh_tokens set revoked_at = now() where user_id in (select id from changed) and revoked_at is null
  ), ended as (
    update personal_tokens set revoked_at = now()
     where $3 and user_id in (select id from changed) and revoked_at is null
  )
  select record_link_used(id, 'password') from changed`

/** Accepts tokens of mails and of `reset-link`, and the short one that the first admin reads on a terminal. */
const mayBeLink = (token: string): boolean => isOpaqueToken(token) || isShortToken(token)

/** The most requests for a link that may be in progress or wait. */
const MOST_PENDING = 64

/**
 * Password resets by a link that is sent to the account's address. Only the SHA-256 of a link's token is stored. A link
 * ends when it is used, when the password or address changes, and when the account is suspended
 * (migrations/functions/account_tokens.sql).
 */
export const createPasswordReset = ({
  database,
  hashPassword,
  onFault,
}: {
  readonly database: Database
  readonly hashPassword: (password: string) => Promise<string>
  /** called if a requested link could not be made */
  readonly onFault: (error: unknown) => void
}) => {
  const bounded = createGate({ atOnce: 2, refuse: tooManyWait })
  const pending = new Set<Promise<void>>()

  const make = async (email: string, request: SignInRequest, deliver: Deliver): Promise<void> => {
    const token = newOpaqueToken()
    const expiresAt = new Date(Date.now() + PASSWORD_LINK_MS)
    const ask = { name: 'password_link_ask', text: ASK, values: [email, hashOfToken(token), expiresAt] }
    const lock = { name: 'password_link_lock', text: LOCK_ACCOUNT, values: [email] }
    const statements = [originOf(request, null), lock, ask]
    const account = await rowAsIdentity<{ readonly email: string }>(database, statements, request.deadline)
    if (account !== undefined) deliver(account.email, token, expiresAt)
  }

  /** The link's account and expiry; null if the link does not work, or no longer works. */
  const find = async (token: string): Promise<MailedLink | null> =>
    mayBeLink(token) ? findMailedLink(database, 'password', token) : null

  return {
    /**
     * Makes and delivers a link for the account with this address, if there is an active one. Returns before any
     * lookup, so that neither the response nor its timing reveals who has an account.
     */
    ask: (email: string, request: SignInRequest, deliver: Deliver): void => {
      if (pending.size >= MOST_PENDING) throw tooManyWait()
      const work = bounded(() => make(email, request, deliver))
        .catch(onFault)
        .finally(() => pending.delete(work))
      pending.add(work)
    },

    find,

    /**
     * Sets the password and ends all sign-ins of the account; with `endTokens`, its personal tokens, too. False if the
     * link does not work, or no longer works.
     */
    reset: async (
      {
        token,
        password,
        endTokens,
      }: { readonly token: string; readonly password: string; readonly endTokens: boolean },
      request: SignInRequest,
    ): Promise<boolean> => {
      // checked first, because hashing the password is expensive
      if ((await find(token)) === null) return false
      const hash = hashOfToken(token)
      const values = [hash, await hashPassword(password), endTokens]
      // RESET then sees, and ends, a sign-in with the old password that was about to commit
      const locks = [{ text: LOCK, values: [hash] }, lockAccount(hash)]
      const statements = [originOf(request, null), ...locks, { text: RESET, values }]
      return (await rowAsIdentity(database, statements, request.deadline)) !== undefined
    },

    /** Resolves when no request is waiting. */
    settled: async (): Promise<void> => {
      await Promise.all(pending)
    },
  }
}

type Deliver = (email: string, token: string, expiresAt: Date) => void

export type PasswordReset = ReturnType<typeof createPasswordReset>
