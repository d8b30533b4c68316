import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import type { User } from '../domain/user.js'
import { Refusal } from '../domain/refusal.js'
import { isId, toId } from '../domain/id.js'

export interface NewAccount {
  readonly email: string
  readonly role: string
  readonly name: string
  /** argon2id; null: no sign-in by password */
  readonly passwordHash: string | null
}

interface AccountRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly suspended: boolean
  readonly created_at: Date
}

const COLUMNS = 'id, email, name, role, suspended_at is not null as suspended, created_at'
const ENTER = { name: 'enter_identity', text: 'select enter_identity()' } as const

const toUser = ({ id, created_at, ...row }: AccountRow): User => ({ ...row, id: toId(id), created_at: created_at.toISOString() })

/** Accounts as whoever has the database in hand manages them (the first start, the command line): no request comes this way. */
export const createAccounts = (database: Database) => {
  const ask = async (text: string, values: readonly unknown[]): Promise<readonly AccountRow[]> => {
    const [, result] = await database.flush([ENTER, { text, values }])
    return result?.rows ?? []
  }
  return {
    /** Throws `email_taken` where the address has an account, in whatever case it is written. */
    add: async ({ email, role, name, passwordHash }: NewAccount): Promise<User> => {
      const [row] = await ask(`insert into users (email, role, name, password_hash) values ($1, $2, $3, $4) returning ${COLUMNS}`, [email, role, name, passwordHash])
        .catch((error: unknown) => { throw violates(error, 'users_email_key') ? new Refusal('email_taken', { detail: `There is an account for ${email} already.` }) : error })
      if (!row) throw new Error('an insert answered no row')
      return toUser(row)
    },

    /** By id, or by address in any case; null where there is none. */
    find: async (idOrEmail: string): Promise<User | null> => {
      const [row] = isId(idOrEmail)
        ? await ask(`select ${COLUMNS} from users where id = $1`, [idOrEmail])
        : await ask(`select ${COLUMNS} from users where lower(email) = lower($1)`, [idOrEmail])
      return row ? toUser(row) : null
    },

    /** Makes the first account; null where there is any account already, also where two starts try at once. */
    addFirst: async ({ email, role, name, passwordHash }: NewAccount): Promise<User | null> => {
      const results = await database.flush([
        { text: `select pg_advisory_xact_lock(7274502)` },
        ENTER,
        { text: `insert into users (email, role, name, password_hash) select $1, $2, $3, $4 where not exists (select from users) returning ${COLUMNS}`, values: [email, role, name, passwordHash] },
      ])
      const row: AccountRow | undefined = results[2]?.rows[0]
      return row ? toUser(row) : null
    },

    any: async (): Promise<boolean> => (await ask(`select ${COLUMNS} from users limit 1`, [])).length > 0,
  }
}

export type Accounts = ReturnType<typeof createAccounts>
