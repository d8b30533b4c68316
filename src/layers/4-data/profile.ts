import type { Database } from '../../database/database.js'
import { RecordChanged } from '../../database/errors.js'
import type { DataRule } from '../route.js'
import { bind } from './context.js'
import { knex, ownedRows, toStatement } from './query.js'

/** What a profile update may change: the allow-list of R7, which the database's column grants hold as well. */
export interface ProfileChanges {
  readonly name?: string | undefined
  readonly password_hash?: string | undefined
}

/** The caller's own user row, and no other. */
export interface Profile {
  /**
   * Commits the change. With a new password every other sign-in of the user ends in the same transaction, and with
   * `endTokens` every personal token.
   */
  update(changes: ProfileChanges, options: { readonly endTokens: boolean }): Promise<void>
}

const ROLES = { own: 'users_own', any: 'users_any' } as const

/** The data layer of `/users/me`: always bound to the caller, also for an admin. */
export const profileStore = (database: Database): DataRule<Profile> => ({
  rows: 'the caller’s own row, without its role',
  open: (context) => {
    const binding = bind(context, 'own', ROLES)
    const users = ownedRows('users', 'id', binding)
    const liveTokens = () => ownedRows('personal_tokens', 'user_id', binding)().whereNull('revoked_at')
    const endOtherSignIns = [
      { name: 'enter_identity', text: 'select enter_identity()' },
      {
        name: 'end_other_sign_ins',
        text: `update refresh_tokens set revoked_at = now()
          where user_id = $1 and family is distinct from $2 and revoked_at is null`,
        values: [binding.userId, context.caller.signIn],
      },
    ]
    return {
      update: async (changes, { endTokens }) => {
        const update = users()
          .update({ ...changes, updated_at: knex.raw('now()'), version: knex.raw('version + 1') })
          .returning('id')
        const endsSignIns = changes.password_hash !== undefined
        const enter = binding.enterChange(endsSignIns || endTokens ? (binding.userId ?? undefined) : undefined)
        const statements = [
          enter,
          toStatement(update),
          ...(endTokens ? [toStatement(liveTokens().update({ revoked_at: knex.raw('now()') }))] : []),
          ...(endsSignIns ? endOtherSignIns : []),
        ]
        const [, updated] = await database.flush(statements, binding.deadline)
        if (updated?.rowCount !== 1) throw new RecordChanged()
      },
    }
  },
})
