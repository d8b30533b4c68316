import type { Database } from '../../database/database.js'
import type { DataContext, DataRule } from '../route.js'
import { bindTransaction } from './context.js'
import { knex } from './query.js'
import { insertOnce, madeBefore } from './repeat.js'

export interface NewInvitation {
  readonly email: string
  readonly role: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** Invitations as the inviter may touch them: they add, and read nothing back. */
export interface Invitations {
  /** Answers until when it can be accepted; repeated, what was said then. */
  add(invitation: NewInvitation): Promise<Date>
}

const ROLES = { own: 'users_own', any: 'users_any' } as const

/** The data layer of `/users/invitations`: an invitation is always its inviter's. */
export const invitationsStore = (database: Database): DataRule<Invitations> => ({
  rows: 'may add one in the caller’s name, and read none',
  open: (context: DataContext) => {
    const binding = bindTransaction(context, 'own', ROLES)
    return {
      add: async ({ email, role, hash, expiresAt }) => {
        if (context.repeat?.known === true)
          return (
            await madeBefore<{ readonly expires_at: Date }>(database, binding, context.repeat, 'invitations', [
              'expires_at',
            ])
          ).expires_at
        // the inviter may read no invitation, so what is kept is told
        await insertOnce(
          database,
          binding,
          context.repeat,
          knex('invitations').insert({
            email,
            role,
            invited_by: binding.userId,
            token_hash: hash,
            expires_at: expiresAt,
          }),
          { kept: { value: { expires_at: expiresAt.toISOString() } } },
        )
        return expiresAt
      },
    }
  },
})
