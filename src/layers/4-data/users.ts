import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import { RecordChanged, violates } from '../../database/errors.js'
import { toUser } from '../../database/user-row.js'
import type { UserRow } from '../../database/user-row.js'
import type { Action } from '../../domain/action.js'
import { isId } from '../../domain/id.js'
import { Refusal } from '../../domain/refusal.js'
import type { User } from '../../domain/user.js'
import type { DataRule } from '../route.js'
import { USER_ROLES, bind, change, reachOf, read } from './context.js'
import { countRows } from './count.js'
import { pageOf, parseCursor } from './keyset.js'
import type { Page } from './keyset.js'
import { knex, ownedRows } from './query.js'
import { requireGrantable } from './require-grantable.js'

export interface UserChanges {
  readonly role?: string | undefined
  readonly suspended?: boolean | undefined
  readonly email?: string | undefined
}

/** Which users a list has. */
export interface UserFilter {
  /** a text in the name or the address, in any case */
  readonly q?: string | undefined
  readonly role?: string | undefined
  readonly suspended?: boolean | undefined
}

interface UserPageQuery extends UserFilter {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The users whom one caller reaches, inside one request. */
export interface Users {
  /** Newest first. */
  page(query: UserPageQuery): Promise<Page<User>>
  /** How many all pages have, up to 10,000. */
  countListed(filter: UserFilter): Promise<number>
  /**
   * Changes exactly the user that was decided about. Throws `policy_denied` (403) where their role, or the new one, may
   * do what the caller may not, `last_admin` (409) where no active admin would be left, and `validation_failed` (422)
   * for an address that another user has.
   */
  update(user: User, changes: UserChanges): Promise<User>
}

const SUSPENDED = 'suspended_at is not null as suspended'
const COLUMNS = ['id', 'email', 'name', 'role', 'created_at'] as const
const SORT = '-id'

/** The data layer of `/users`: reaches what `can()` allows for the action, as own or any rows. */
export const usersStore =
  (database: Database) =>
  (action: Action): DataRule<Users> => ({
    rows: `users that the caller may ${action}`,
    open: (context) => {
      const reach = reachOf(context, action)
      const binding = bind(context, reach, USER_ROLES)
      const users = ownedRows('users', 'id', binding)
      return {
        page: async ({ limit, cursor, ...filter }) => {
          const query = filtered(users(), filter)
            .select(...COLUMNS, knex.raw(SUSPENDED))
            .orderBy('id', 'desc')
            .limit(limit + 1)
          if (cursor !== undefined) query.where('id', '<', parseCursor(cursor, SORT, isId))
          const rows = (await read<UserRow>(database, binding, query)).map(toUser)
          return pageOf(rows, limit, SORT, ({ id }) => id)
        },
        countListed: (filter) => countRows(database, binding, filtered(users(), filter)),
        update: async (user, { role, suspended, email }) => {
          // nobody rises, and nobody brings down who stands above them
          requireGrantable(context, user.role)
          if (role !== undefined) requireGrantable(context, role)
          const query = users()
            // the user as they were decided about: with this role, and suspended or not
            .where({ id: user.id, role: user.role })
            .whereRaw(`(suspended_at is not null) = ?`, [user.suspended])
            .update({
              ...(role === undefined ? {} : { role }),
              ...(email === undefined ? {} : { email }),
              ...(suspended === undefined ? {} : { suspended_at: suspended ? SUSPENDED_SINCE : null }),
              updated_at: knex.raw('now()'),
              version: knex.raw('version + 1'),
            })
            .returning([...COLUMNS, knex.raw(SUSPENDED)])
          const [row] = await change<UserRow>(database, binding, query, user.id).catch(refuseTaken)
          if (!row) throw new RecordChanged()
          return toUser(row)
        },
      }
    },
  })

/** The line break keeps a text from being found across address and name. */
const TEXT = String.raw`lower(email || E'\n' || name)`

const filtered = (users: Knex.QueryBuilder, { q, role, suspended }: UserFilter): Knex.QueryBuilder => {
  if (q !== undefined) users.whereRaw(`position(lower(?) in ${TEXT}) > 0`, [q])
  if (role !== undefined) users.where('role', role)
  if (suspended !== undefined) users.whereRaw(`(suspended_at is not null) = ?`, [suspended])
  return users
}

const refuseTaken = (error: unknown): never => {
  if (!violates(error, 'users_email_key')) throw error
  throw new Refusal('email_taken', { errors: [{ field: 'email', message: 'is taken' }] })
}

const SUSPENDED_SINCE = knex.raw('coalesce(suspended_at, now())')
