import { enterChange } from '../../database/change.js'
import type { Database } from '../../database/database.js'
import { toUser } from '../../database/user-row.js'
import type { UserRow } from '../../database/user-row.js'
import { SQLSTATE, sqlState } from '../../database/errors.js'
import type { Action } from '../../domain/action.js'
import { isId } from '../../domain/id.js'
import { Refusal } from '../../domain/refusal.js'
import type { User } from '../../domain/user.js'
import type { DataContext, DataRule } from '../route.js'
import { bindTransaction, inTransaction } from './context.js'
import { formatCursor, parseCursor } from './keyset.js'
import { knex, ownerBound, toStatement } from './query.js'
import { RecordChanged } from './record-changed.js'

export interface UserChanges {
  readonly role?: string | undefined
  readonly suspended?: boolean | undefined
}

/** The users whom one caller reaches, inside one request. */
export interface Users {
  /** Newest first. */
  page(query: {
    readonly limit: number
    readonly cursor?: string | undefined
  }): Promise<{ readonly data: readonly User[]; readonly next_cursor: string | null }>
  /** Changes exactly the user that was decided about. Throws `last_admin` (409) where no active admin would be left. */
  update(user: User, changes: UserChanges): Promise<User>
}

const ROLES = { own: 'users_own', any: 'users_any' } as const
const SUSPENDED = 'suspended_at is not null as suspended'
const COLUMNS = ['id', 'email', 'name', 'role', 'created_at'] as const
const SORT = '-id'

/** The data layer of `/users`: reaches what `can()` allows for the action, as own or any rows. */
export const usersStore =
  (database: Database) =>
  (action: Action): DataRule<Users> => ({
    rows: `users that ${action} reaches`,
    open: (context: DataContext) => {
      const { caller, snapshot } = context
      const binding = bindTransaction(
        context,
        caller.user === null ? 'none' : snapshot.reach(caller.user.role, action),
        ROLES,
      )
      return {
        page: async ({ limit, cursor }) => {
          const query = ownerBound('users', 'id', binding)
            .select(...COLUMNS, knex.raw(SUSPENDED))
            .orderBy('id', 'desc')
            .limit(limit + 1)
          if (cursor !== undefined) query.where('id', '<', parseCursor(cursor, SORT, isId))
          const rows = (await inTransaction<UserRow>(database, binding.read, toStatement(query))).map(toUser)
          const data = rows.slice(0, limit)
          const last = data.at(-1)
          return { data, next_cursor: rows.length > limit && last ? formatCursor({ sort: SORT, key: last.id }) : null }
        },
        update: async (user, { role, suspended }) => {
          const query = ownerBound('users', 'id', binding)
            .where('id', user.id)
            // what was decided about: this role, this standing
            .where('role', user.role)
            .whereRaw(`(suspended_at is not null) = ?`, [user.suspended])
            .update({
              ...(role === undefined ? {} : { role }),
              ...(suspended === undefined
                ? {}
                : { suspended_at: suspended ? knex.raw('coalesce(suspended_at, now())') : null }),
              updated_at: knex.raw('now()'),
              version: knex.raw('version + 1'),
            })
            .returning([...COLUMNS, knex.raw(SUSPENDED)])
          const [row] = await inTransaction<UserRow>(database, enterChange(binding.entering), toStatement(query)).catch(
            (error: unknown) => {
              throw sqlState(error) === SQLSTATE.lastAdmin ? new Refusal('last_admin', { cause: error }) : error
            },
          )
          if (!row) throw new RecordChanged()
          return toUser(row)
        },
      }
    },
  })
