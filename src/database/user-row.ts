import { toId } from '../domain/id.js'
import type { User } from '../domain/user.js'

/** A user as pg returns it: bigint as text, times as Date. */
export interface UserRow extends Omit<User, 'id' | 'created_at'> {
  readonly id: string
  readonly created_at: Date
}

/** The columns of a UserRow. */
export const USER_ROW = 'id, email, name, role, suspended_at is not null as suspended, created_at'

export const toUser = ({ id, email, name, role, suspended, created_at }: UserRow): User => ({
  id: toId(id),
  email,
  name,
  role,
  suspended,
  created_at: created_at.toISOString(),
})
