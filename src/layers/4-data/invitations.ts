import type { Database } from '../../database/database.js'
import type { DataContext, DataRule } from '../route.js'
import { bindTransaction, inTransaction } from './context.js'
import { knex, toStatement } from './query.js'

export interface NewInvitation {
  readonly email: string
  readonly role: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** Invitations as the inviter may touch them: they add, and read nothing back. */
export interface Invitations { add(invitation: NewInvitation): Promise<void> }

const ROLES = { own: 'users_own', any: 'users_any' } as const

/** The data layer of `/users/invitations`: an invitation is always its inviter's. */
export const invitationsStore = (database: Database): DataRule<Invitations> => ({
  rows: 'may add one in the caller’s name, and read none',
  open: (context: DataContext) => {
    const binding = bindTransaction(context, 'own', ROLES)
    return {
      add: async ({ email, role, hash, expiresAt }) => {
        await inTransaction(database, binding.change, toStatement(
          knex('invitations').insert({ email, role, invited_by: binding.userId, token_hash: hash, expires_at: expiresAt })))
      },
    }
  },
})
