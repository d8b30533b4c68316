import { toId } from '../domain/id.js'
import type { User } from '../domain/user.js'

/** A user as pg returns it: bigint as text, times as Date. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: Date
}

export const toUser = ({ id, email, name, role, suspended, created_at }: UserRow): User => ({
  id: toId(id),
  email,
  name,
  role,
  suspended,
  created_at: created_at.toISOString(),
})
