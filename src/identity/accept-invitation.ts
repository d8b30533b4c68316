import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { toUser } from '../database/user-row.js'
import type { UserRow } from '../database/user-row.js'
import type { Deadline } from '../domain/deadline.js'
import type { User } from '../domain/user.js'
import { asIdentity } from './as-identity.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'

const FIND = `
  select i.accepted_at is null and i.expires_at > now() as open, i.role, u.role as inviter_role
    from invitations i left join users u on u.id = i.invited_by and u.suspended_at is null
   where i.token_hash = $1`

// One statement: the second of two that race waits for the row, finds the invitation used, and adds no account. The
// inviter is locked, so that no suspension or demotion of theirs is acknowledged in between.
const ACCEPT = `
  with accepted as (
    update invitations set accepted_at = now()
     where token_hash = $1 and accepted_at is null and expires_at > now()
       and invited_by in (select id from users where role = $4 and suspended_at is null for share)
    returning email, role
  )
  insert into users (email, role, name, password_hash) select email, role, $2, $3 from accepted
  returning id, email, name, role, false as suspended, created_at`

interface Acceptance {
  readonly token: string
  readonly name: string
  readonly password: string
  /** whether somebody with the first role may still give out the second */
  readonly mayGive: (inviterRole: string, role: string) => boolean
}

interface Found {
  readonly open: boolean
  readonly role: string
  /** null where the inviter is suspended or gone */
  readonly inviter_role: string | null
}

/**
 * Resolves with the new account, `over` for an invitation that is used or expired or whose inviter may no longer give
 * out its role, `unknown` where there never was one.
 */
export const acceptInvitation =
  (database: Database, hashPassword: (password: string) => Promise<string>) =>
  async ({ token, name, password, mayGive }: Acceptance, deadline: Deadline): Promise<User | 'over' | 'unknown'> => {
    if (!isOpaqueToken(token)) return 'unknown'
    const hash = hashOfToken(token)
    const [found] = await asIdentity(database, [{ text: FIND, values: [hash] }])
    const invitation: Found | undefined = found?.rows[0]
    if (invitation === undefined) return 'unknown'
    // checked first, because hashing the password is expensive
    const { open, role, inviter_role: inviterRole } = invitation
    if (!open || inviterRole === null || !mayGive(inviterRole, role)) return 'over'
    const values = [hash, name, await hashPassword(password), inviterRole]
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
