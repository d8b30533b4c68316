import type { Database } from '../database/database.js'
import { isId } from '../domain/id.js'
import type { User } from '../domain/user.js'

interface UserRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: Date
}

/**
 * One user by their id, as they are now; null where there is none, or where the sign-in that is named with them is over.
 * A text that is no id asks nothing.
 */
export const findUser = (database: Database) => async (id: string, signIn: string | null = null): Promise<User | null> => {
  if (!isId(id)) return null
  const [row] = await database.run<UserRow>({ name: 'find_user', text: 'select * from find_user($1, $2)', values: [id, signIn] })
  return row ? { ...row, id, created_at: row.created_at.toISOString() } : null
}
