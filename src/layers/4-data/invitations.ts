import type { Database } from '../../database/database.js'
import type { DataRule } from '../route.js'
import { bind } from './context.js'
import { enterWithKey, keepKey } from './idempotency.js'
import { ownedRows, toStatement } from './query.js'
import { requireGrantable } from './require-grantable.js'

export interface NewInvitation {
  readonly email: string
  readonly role: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** Invitations as the inviter may touch them: they add, and read nothing back. */
export interface Invitations {
  /**
   * Throws `policy_denied` (403) where the role may do what the inviter may not, and `already_created` (409) where the
   * request's Idempotency-Key made an invitation before.
   */
  add(invitation: NewInvitation): Promise<void>
}

const ROLES = { own: 'users_own', any: 'users_any' } as const

/** The data layer of `/users/invitations`: an invitation is always its inviter's. */
export const invitationsStore = (database: Database): DataRule<Invitations> => ({
  rows: 'may add one in the caller’s name, and read none',
  open: (context) => {
    const binding = bind(context, 'own', ROLES)
    const invitations = ownedRows('invitations', 'invited_by', binding)
    return {
      add: async ({ email, role, hash, expiresAt }) => {
        requireGrantable(context, role)
        const insert = invitations.insert({ email, role, token_hash: hash, expires_at: expiresAt })
        const key = context.idempotencyKey
        await database.flush(
          [...enterWithKey(key, binding), toStatement(insert), ...keepKey(key, binding)],
          binding.deadline,
        )
      },
    }
  },
})
