import type { Id } from './id.js'

/**
 * A user's row as the service reads it. Times are ISO 8601 in UTC. The password hash never leaves the identity module.
 */
export interface User {
  readonly id: Id
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: string
}

/**
 * Who asks, as the policy function sees them; `null` is an absent (unauthenticated) caller.
 * A missing id equals nothing (R5). A suspended user has the rights of an absent one.
 */
export type Subject = {
  readonly id?: string | null
  readonly role: string
  readonly suspended?: boolean
} | null

export const isEmail = (text: string): boolean => text.length <= 254 && /^[^@\s\0]+@[^@\s\0]+$/.test(text)
