import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { toUser } from '../database/user-row.js'
import type { UserRow } from '../database/user-row.js'
import type { Deadline } from '../domain/deadline.js'
import type { User } from '../domain/user.js'
import { asIdentity } from './as-identity.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'

const IS_OPEN = 'select accepted_at is null and expires_at > now() as open from invitations where token_hash = $1'

// One statement: the second of two that race waits for the row, finds the invitation used, and adds no account.
const ACCEPT = `
  with accepted as (
    update invitations set accepted_at = now()
     where token_hash = $1 and accepted_at is null and expires_at > now()
    returning email, role
  )
  insert into users (email, role, name, password_hash) select email, role, $2, $3 from accepted
  returning id, email, name, role, false as suspended, created_at`

interface Acceptance {
  readonly token: string
  readonly name: string
  readonly password: string
}

/** Resolves with the new account, `over` for a used or expired invitation, `unknown` where there never was one. */
export const acceptInvitation =
  (database: Database, hashPassword: (password: string) => Promise<string>) =>
  async ({ token, name, password }: Acceptance, deadline: Deadline): Promise<User | 'over' | 'unknown'> => {
    if (!isOpaqueToken(token)) return 'unknown'
    const hash = hashOfToken(token)
    const [found] = await asIdentity(database, [{ text: IS_OPEN, values: [hash] }])
    const invitation: { readonly open: boolean } | undefined = found?.rows[0]
    if (invitation === undefined) return 'unknown'
    // checked first, because hashing the password is expensive
    if (!invitation.open) return 'over'
    const values = [hash, name, await hashPassword(password)]
    try {
      const [added] = await asIdentity(database, [{ text: ACCEPT, values }], deadline)
      const row: UserRow | undefined = added?.rows[0]
      return row ? toUser(row) : 'over'
    } catch (error) {
      // The address has got an account since. Saying so would reveal who has one.
      if (violates(error, 'users_email_key')) return 'over'
      throw error
    }
  }

export type AcceptInvitation = ReturnType<typeof acceptInvitation>
