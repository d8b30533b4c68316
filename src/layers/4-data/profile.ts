import type { Database } from '../../database/database.js'
import { RecordChanged } from '../../database/errors.js'
import type { Statement } from '../../database/statement.js'
import { toUser, type UserRow } from '../../database/user-row.js'
import type { User } from '../../domain/user.js'
import { ENTER_IDENTITY } from '../../identity/as-identity.js'
import type { DataRule } from '../rules.js'
import { USER_ROLES, bind } from './context.js'
import { knex, ownedRows, toStatement } from './query.js'
import { USER_COLUMNS } from './users.js'

/** What a profile update may change: the allow-list of R7, which the database's column grants enforce as well. */
interface ProfileChanges {
  readonly name?: string | undefined
  readonly password_hash?: string | undefined
}

/** The caller's own user row, and no other. */
export interface Profile {
  /**
   * Commits the change, and returns the user as it left them. A new password ends all other sign-ins of the user in the
   * same transaction, and `endTokens` all their personal tokens. A new address is stored as a request, and takes effect
   * once it is confirmed. Throws `rate_limited` (429) if the user requested too many.
   */
  update(user: User, changes: ProfileChanges, options: ProfileOptions): Promise<User>
}

interface ProfileOptions {
  /** the hash that the current password matched; nothing is committed if it was replaced since. null: not checked */
  readonly provenBy: string | null
  readonly endTokens: boolean
  readonly newAddress?: NewAddress | undefined
}

/** A new address, unconfirmed until somebody follows the link in the mail. */
interface NewAddress {
  readonly email: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** See migrations/functions/require_password.sql. */
const requirePassword = (hash: string): Statement => ({
  name: 'require_password',
  text: 'select require_password($1)',
  values: [hash],
})

/** The data layer of `/users/me`: always bound to the caller, even for an admin. */
export const profileStore = (database: Database): DataRule<Profile> => ({
  rows: 'the caller’s own row, without its role',
  open: (context) => {
    const binding = bind(context, 'own', USER_ROLES)
    const users = ownedRows('users', binding)
    const liveTokens = () => ownedRows('personal_tokens', binding)().whereNull('revoked_at')
    const asked = ({ email, hash, expiresAt }: NewAddress) =>
      ownedRows('account_tokens', binding).insert({
        purpose: 'address',
        token_hash: hash,
        email,
        expires_at: expiresAt,
      })
    const endOtherSignIns = [
      ENTER_IDENTITY,
      {
        name: 'end_other_sign_ins',
        text: `update refresh_tokens set revoked_at = now()
          where user_id = $1 and family is distinct from $2 and revoked_at is null`,
        values: [binding.userId, context.caller.signIn],
      },
    ]
    return {
      update: async (user, changes, { provenBy, endTokens, newAddress }) => {
        const update = users()
          .update({ ...changes, updated_at: knex.raw('now()'), version: knex.raw('version + 1') })
          .returning(USER_COLUMNS)
        const endsSignIns = changes.password_hash !== undefined
        const enter = binding.enterChange(endsSignIns || endTokens ? (binding.userId ?? undefined) : undefined)
        const changesRow = Object.keys(changes).length > 0
        const statements = [
          enter,
          ...(provenBy === null ? [] : [requirePassword(provenBy)]),
          ...(changesRow ? [toStatement(update)] : []),
          ...(newAddress ? [toStatement(asked(newAddress))] : []),
          ...(endTokens ? [toStatement(liveTokens().update({ revoked_at: knex.raw('now()') }))] : []),
          ...(endsSignIns ? endOtherSignIns : []),
        ]
        const results = await database.flush(statements, binding.deadline)
        if (!changesRow) return user
        const row: UserRow | undefined = results[provenBy === null ? 1 : 2]?.rows[0]
        if (row === undefined) throw new RecordChanged()
        return toUser(row)
      },
    }
  },
})
