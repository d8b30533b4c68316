import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import { violates } from '../../database/errors.js'
import { USER_ROW, toUser, type UserRow } from '../../database/user-row.js'
import type { Action } from '../../domain/action.js'
import { Refusal } from '../../domain/refusal.js'
import { spellings } from '../../domain/stored-forms.js'
import type { User } from '../../domain/user.js'
import type { DataRule } from '../rules.js'
import { USER_ROLES, bind, changeOne, reachOf, read } from './context.js'
import { countRows } from './count.js'
import { newestFirst, type Page, type PageQuery } from './keyset.js'
import { knex, ownedRows, type OwnedRows } from './query.js'
import { requireGrantable } from './require-grantable.js'

interface UserChanges {
  readonly role?: string | undefined
  readonly suspended?: boolean | undefined
  readonly email?: string | undefined
}

interface UserFilter {
  /** text that the name or the address contains, ignoring case */
  readonly q?: string | undefined
  readonly role?: string | undefined
  readonly suspended?: boolean | undefined
}

/** The users that one caller reaches, within one request. */
export interface Users {
  /** Newest first. */
  page(query: UserFilter & PageQuery): Promise<Page<User>>
  /** The number of all listed users, up to 10,000. */
  countListed(filter: UserFilter): Promise<number>
  /**
   * Changes exactly the user that was decided about. Throws `policy_denied` (403) if their role or the new one has
   * rights that the caller does not have, or if the policy lets the caller change only themselves (R7), `last_admin`
   * (409) if no active admin would be left, and `email_taken` (409) for an address that another user has.
   */
  update(user: User, changes: UserChanges): Promise<User>
}

export const USER_COLUMNS = knex.raw(USER_ROW)

const NEWEST_FIRST = newestFirst('users')

/** The data layer of `/users`. It reaches the rows that the policy allows for the action: own or any. */
export const usersStore =
  (database: Database) =>
  (action: Action): DataRule<Users> => ({
    rows: `users that the caller may ${action}`,
    open: (context) => {
      const reach = reachOf(context, action)
      const binding = bind(context, reach, USER_ROLES)
      const users = ownedRows('users', binding)
      return {
        page: async (query) => {
          const page = NEWEST_FIRST.select(filtered(users(), query).select(USER_COLUMNS), query)
          return NEWEST_FIRST.pageOf((await read<UserRow>(database, binding, page)).map(toUser), query.limit)
        },
        countListed: (filter) => countRows(database, binding, filtered(users(), filter)),
        update: async (user, { role, suspended, email }) => {
          // R7: what only reaches oneself is the profile, and none of these fields is on its list.
          if (reach === 'own')
            throw new Refusal('policy_denied', {
              detail: 'Role, suspension and address are changed by whoever may change every user, not by oneself.',
            })
          // No privilege escalation: the caller can neither grant a role above theirs nor change a user above them.
          await requireGrantable(context, user.role)
          if (role !== undefined) await requireGrantable(context, role)
          const query = exactUser(users, user)
            .update({
              ...(role === undefined ? {} : { role }),
              ...(email === undefined ? {} : { email }),
              ...(suspended === undefined ? {} : { suspended_at: suspended ? SUSPENDED_SINCE : null }),
              updated_at: knex.raw('now()'),
              version: knex.raw('version + 1'),
            })
            .returning(USER_COLUMNS)
          return toUser(await changeOne<UserRow>(database, binding, query, user.id).catch(refuseTaken))
        },
      }
    },
  })

/** Exactly the user that was decided about: with the same role, and suspended only if they were then. */
export const exactUser = (users: OwnedRows, { id, role, suspended }: User): Knex.QueryBuilder =>
  filtered(users(), { role, suspended }).where({ id })

/** The line break prevents matches across address and name. */
const TEXT = String.raw`lower(email || E'\n' || name)`

const filtered = (users: Knex.QueryBuilder, { q, role, suspended }: UserFilter): Knex.QueryBuilder => {
  if (q !== undefined) {
    const forms = spellings(q)
    users.whereRaw(`(${forms.map(() => `position(lower(?) in ${TEXT}) > 0`).join(' or ')})`, forms)
  }
  if (role !== undefined) users.where('role', role)
  if (suspended !== undefined) users.whereRaw(`(suspended_at is not null) = ?`, [suspended])
  return users
}

const refuseTaken = (error: unknown): never => {
  if (!violates(error, 'users_email_key')) throw error
  throw new Refusal('email_taken', { errors: [{ field: 'email', message: 'is taken' }] })
}

const SUSPENDED_SINCE = knex.raw('coalesce(suspended_at, now())')
