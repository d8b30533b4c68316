import type { Id } from './id.js'

/** A user, without the password hash, which stays in identity/. Times are ISO 8601 in UTC. */
export interface User {
  readonly id: Id
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: string
}

/**
 * The caller as the policy function sees them; `null` without a user. A missing id equals nothing (R5). A suspended
 * user has the rights of an absent one.
 */
export type Subject = {
  readonly id?: string | null
  readonly role: string
  readonly suspended?: boolean
} | null

export const isEmail = (text: string): boolean => text.length <= 254 && /^[^@\s\0]+@[^@\s\0]+$/.test(text)
