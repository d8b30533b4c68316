import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { toUser, type UserRow } from '../database/user-row.js'
import type { User } from '../domain/user.js'
import { rowAsIdentity } from './as-identity.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'
import { originOf, type SignInRequest } from './sign-in.js'

const FIND = `
  select i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now() as open, i.role,
         i.expires_at as "expiresAt", u.role as "inviterRole"
    from invitations i left join users u on u.id = i.invited_by and u.suspended_at is null
   where i.token_hash = $1`

// One statement: if two race, the second waits for the row, finds the invitation used, and adds no account. The inviter
// is locked, so that no suspension or demotion of theirs is acknowledged in between.
const ACCEPT = `
  with inviter as materialized (
    select u.id from invitations i join users u on u.id = i.invited_by
     where i.token_hash = $1 and u.role = $4 and u.suspended_at is null for share of u
  ), accepted as (
    update invitations set accepted_at = now()
     where token_hash = $1 and accepted_at is null and withdrawn_at is null and expires_at > now()
       and invited_by in (select id from inviter)
    returning email, role
  )
  insert into users (email, role, name, password_hash) select email, role, $2, $3 from accepted
  returning id, email, name, role, false as suspended, created_at`

export interface Asked {
  readonly token: string
  /** whether, under the policy, a user with the first role may still give out the second */
  readonly mayGive: (inviterRole: string, role: string) => Promise<boolean>
}

export interface Acceptance extends Asked {
  /** of the policy that `mayGive` asks */
  readonly revision: number
  readonly name: string
  readonly password: string
}

export interface OpenInvitation {
  readonly role: string
  readonly expiresAt: Date
  readonly inviterRole: string
}

interface Found extends Omit<OpenInvitation, 'inviterRole'> {
  readonly open: boolean
  /** null if the inviter is suspended or gone */
  readonly inviterRole: string | null
}

/**
 * Finds an invitation by its token. Changes nothing, because mail scanners open links. `over` if it is used, withdrawn
 * or expired, or if its inviter may no longer give out its role; `unknown` if there never was one.
 */
export const findInvitation =
  (database: Database) =>
  async ({ token, mayGive }: Asked): Promise<OpenInvitation | 'over' | 'unknown'> => {
    if (!isOpaqueToken(token)) return 'unknown'
    const invitation = await rowAsIdentity<Found>(database, [{ text: FIND, values: [hashOfToken(token)] }])
    if (invitation === undefined) return 'unknown'
    const { open, role, inviterRole, expiresAt } = invitation
    return open && inviterRole !== null && (await mayGive(inviterRole, role))
      ? { role, expiresAt, inviterRole }
      : 'over'
  }

export type FindInvitation = ReturnType<typeof findInvitation>

/**
 * Resolves with the new account; `over` if the invitation is used, withdrawn or expired, or if its inviter may no
 * longer give out its role; `unknown` if there never was one. Throws PolicyReplaced (promise 1).
 */
export const acceptInvitation = (database: Database, hashPassword: (password: string) => Promise<string>) => {
  const find = findInvitation(database)
  return async (
    { token, name, password, mayGive, revision }: Acceptance,
    request: SignInRequest,
  ): Promise<User | 'over' | 'unknown'> => {
    // checked first, because hashing the password is expensive
    const invitation = await find({ token, mayGive })
    if (typeof invitation === 'string') return invitation
    const values = [hashOfToken(token), name, await hashPassword(password), invitation.inviterRole]
    try {
      const proof = { text: 'select require_revision($1)', values: [revision] }
      const statements = [proof, originOf(request, null), { text: ACCEPT, values }]
      const row = await rowAsIdentity<UserRow>(database, statements, request.deadline)
      return row ? toUser(row) : 'over'
    } catch (error) {
      // The address has an account by now. Saying so would reveal who has one.
      if (violates(error, 'users_email_key')) return 'over'
      throw error
    }
  }
}

export type AcceptInvitation = ReturnType<typeof acceptInvitation>
