import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { toId } from '../domain/id.js'
import type { User } from '../domain/user.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'

/** Accepts an invitation: the account, `over` where it was used or has expired, `unknown` where there never was one. */
export type AcceptInvitation = (request: {
  readonly token: string
  readonly name: string
  readonly password: string
}) => Promise<User | 'over' | 'unknown'>

interface Row {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly created_at: Date
}

// One statement: of two that accept at once the second waits for the row, finds it used, and makes no account.
const ACCEPT = `
  with accepted as (
    update invitations set accepted_at = now()
     where token_hash = $1 and accepted_at is null and expires_at > now()
    returning email, role
  )
  insert into users (email, role, name, password_hash) select email, role, $2, $3 from accepted
  returning id, email, name, role, created_at`

const ENTER = { name: 'enter_identity', text: 'select enter_identity()' } as const

export const acceptInvitation =
  (database: Database, hashPassword: (password: string) => Promise<string>): AcceptInvitation =>
  async ({ token, name, password }) => {
    if (!isOpaqueToken(token)) return 'unknown'
    const hash = hashOfToken(token)
    const [, known] = await database.flush([
      ENTER,
      {
        text: 'select accepted_at is null and expires_at > now() as open from invitations where token_hash = $1',
        values: [hash],
      },
    ])
    const invitation: { readonly open: boolean } | undefined = known?.rows[0]
    if (invitation === undefined) return 'unknown'
    // the costly hash is not spent on what is over
    if (!invitation.open) return 'over'
    const passwordHash = await hashPassword(password)
    try {
      const [, result] = await database.flush([ENTER, { text: ACCEPT, values: [hash, name, passwordHash] }])
      const row: Row | undefined = result?.rows[0]
      return row ? { ...row, id: toId(row.id), suspended: false, created_at: row.created_at.toISOString() } : 'over'
    } catch (error) {
      // The address has an account by now. The invitation cannot make another, and says no more than that it is over.
      if (violates(error, 'users_email_key')) return 'over'
      throw error
    }
  }
