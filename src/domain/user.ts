import type { Id } from './id.js'

/** A user without their password hash, which stays in identity/. Times are ISO 8601 in UTC. */
export interface User {
  readonly id: Id
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: string
}

export type FindUser = (id: string) => Promise<User | null>

/**
 * The caller as the policy function sees them; `null` without a user. A missing id equals nothing (R5). A suspended
 * user has the rights of an absent one.
 */
export type Subject = {
  readonly id?: string | null
  readonly role: string
  readonly suspended?: boolean
} | null

/** RFC 5322 §3.2.3 without the quoted form: an address in it needs no escaping in a header, a URL or a list. */
const LOCAL_PART = /^(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** RFC 1035 §2.3.1, with leading digits allowed; a non-ASCII name in its ASCII form (`xn--…`). */
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * An ASCII e-mail address. Non-ASCII addresses can look alike (zero-width characters, soft hyphens, letters of other
 * scripts), and their case can fold differently here and in the database.
 */
export const isEmail = (text: string): boolean => {
  const at = text.indexOf('@')
  return at > 0 && text.length <= 254 && LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(text.slice(at + 1))
}

/** The address of an installation's first account, until it is changed. */
export const FIRST_ADMIN = 'admin@localhost'

/** What happens to the links of a deleted user: they are deleted as well, or go to another user. */
export type LinksOfDeleted = 'delete' | { readonly to: Id }
