import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'
import { rowAsIdentity } from './as-identity.js'
import { hashOfToken } from './opaque-token.js'

/** A working link: the address that it is about, and its expiry. */
export interface MailedLink {
  readonly email: string
  readonly expiresAt: Date
}

// only a link for confirming an address has one of its own
const FIND = `
  select coalesce(t.email, u.email) as email, t.expires_at as "expiresAt"
    from account_tokens t join users u on u.id = t.user_id
   where t.token_hash = $1 and t.purpose = $2 and t.expires_at > now() and u.suspended_at is null`

/** Null if the link does not work, or no longer works. Changes nothing, because mail scanners open links. */
export const findMailedLink = async (
  database: Database,
  purpose: 'password' | 'address',
  token: string,
): Promise<MailedLink | null> => {
  const find = { text: FIND, values: [hashOfToken(token), purpose] }
  return (await rowAsIdentity<MailedLink>(database, [find])) ?? null
}

const LOCK_ACCOUNT = `
  select from users where id in (select user_id from account_tokens where token_hash = $1) for no key update`

/**
 * Locks the row of a link's account. A statement of its own, before the one that uses the link: whatever else changes
 * the account locks its row first and then ends its links, so the other order would deadlock.
 */
export const lockAccount = (hash: Buffer): Statement => ({ text: LOCK_ACCOUNT, values: [hash] })
