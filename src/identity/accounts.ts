import type { Database } from '../database/database.js'
import { toUser } from '../database/user-row.js'
import type { UserRow } from '../database/user-row.js'
import { violates } from '../database/errors.js'
import type { User } from '../domain/user.js'
import { Refusal } from '../domain/refusal.js'
import { isId } from '../domain/id.js'
import type { Id } from '../domain/id.js'

export interface NewAccount {
  readonly email: string
  readonly role: string
  readonly name: string
  /** argon2id; null: no sign-in by password */
  readonly passwordHash: string | null
  readonly external?: ExternalSubject
}

/** Who somebody is to an external issuer. */
export interface ExternalSubject {
  readonly issuer: string
  readonly subject: string
}

const COLUMNS = 'id, email, name, role, suspended_at is not null as suspended, created_at'
const ENTER = { name: 'enter_identity', text: 'select enter_identity()' } as const

/**
 * Accounts as whoever has the database in hand manages them (the first start, the command line): no request comes this
 * way.
 */
export const createAccounts = (database: Database) => {
  const ask = async (text: string, values: readonly unknown[]): Promise<readonly UserRow[]> => {
    const [, result] = await database.flush([ENTER, { text, values }])
    return result?.rows ?? []
  }
  const change = async (id: Id, assignment: string, values: readonly unknown[]): Promise<User | null> => {
    const [row] = await ask(
      `update users set ${assignment}, updated_at = now(), version = version + 1 where id = $1 returning ${COLUMNS}`,
      [id, ...values],
    )
    return row ? toUser(row) : null
  }
  return {
    /**
     * Throws `email_taken` where the address has an account, in whatever case it is written, and `conflict` where the
     * subject is linked already; then nothing is added.
     */
    add: async ({ email, role, name, passwordHash, external }: NewAccount): Promise<User> => {
      const insert = `insert into users (email, role, name, password_hash) values ($1, $2, $3, $4) returning ${COLUMNS}`
      const [row] = await (
        external === undefined
          ? ask(insert, [email, role, name, passwordHash])
          : ask(
              `with added as (${insert}), linked as (insert into external_identities (issuer, subject, user_id) select $5, $6, id from added) select * from added`,
              [email, role, name, passwordHash, external.issuer, external.subject],
            )
      ).catch((error: unknown) => {
        if (violates(error, 'users_email_key'))
          throw new Refusal('email_taken', { detail: `There is an account for ${email} already.` })
        throw violates(error, 'external_identities_pkey')
          ? new Refusal('conflict', { detail: `The subject ${external?.subject} is linked to another user.` })
          : error
      })
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

    /** The roles that somebody has, suspended or not. */
    rolesInUse: async (): Promise<readonly string[]> => {
      const [, result] = await database.flush([ENTER, { text: 'select distinct role from users order by role' }])
      const rows: readonly { readonly role: string }[] = result?.rows ?? []
      return rows.map(({ role }) => role)
    },

    /** All accounts, oldest first, `batch` at a time: memory stays that of one batch. */
    list: async function* (batch = 500): AsyncGenerator<User> {
      let after = '0'
      for (;;) {
        const rows = await ask(`select ${COLUMNS} from users where id > $1 order by id limit $2`, [after, batch])
        yield* rows.map(toUser)
        after = rows.at(-1)?.id ?? after
        if (rows.length < batch) return
      }
    },

    /** Null where there is no such account. Throws `last_admin` where no active admin would be left. */
    setRole: (id: Id, role: string): Promise<User | null> => change(id, 'role = $2', [role]),

    /** As `setRole`. Suspended, an account's tokens and sign-ins are refused until it is let back. */
    setSuspended: (id: Id, suspended: boolean): Promise<User | null> =>
      change(id, 'suspended_at = case when $2 then coalesce(suspended_at, now()) end', [suspended]),

    /** Sets the password and ends every sign-in of the account, in one transaction. */
    setPassword: async (id: Id, passwordHash: string): Promise<User | null> => {
      const [, result] = await database.flush([
        ENTER,
        {
          text: `update users set password_hash = $2, updated_at = now(), version = version + 1 where id = $1 returning ${COLUMNS}`,
          values: [id, passwordHash],
        },
        {
          text: 'update refresh_tokens set revoked_at = now() where user_id = $1 and revoked_at is null',
          values: [id],
        },
      ])
      const row: UserRow | undefined = result?.rows[0]
      return row ? toUser(row) : null
    },

    /** Links a subject of an external issuer to an account. Throws `conflict` where it is linked to another. */
    link: async (id: Id, { issuer, subject }: ExternalSubject): Promise<void> => {
      const [, , linked] = await database.flush([
        ENTER,
        {
          text: 'insert into external_identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing',
          values: [issuer, subject, id],
        },
        {
          text: 'select user_id from external_identities where issuer = $1 and subject = $2',
          values: [issuer, subject],
        },
      ])
      if (linked?.rows[0]?.user_id !== id)
        throw new Refusal('conflict', { detail: `The subject ${subject} is linked to another user.` })
    },

    /** Makes a personal token of the account. Throws `too_many_tokens` where it has as many live ones as it may. */
    addPersonalToken: async (
      id: Id,
      {
        name,
        hash,
        scopes,
        expiresAt,
      }: { readonly name: string; readonly hash: Buffer; readonly scopes: readonly string[]; readonly expiresAt: Date },
    ): Promise<void> => {
      await ask(
        `insert into personal_tokens (user_id, name, token_hash, scopes, expires_at)
         values ($1, $2, $3, string_to_array($4, ' '), $5)`,
        [id, name, hash, scopes.join(' '), expiresAt],
      )
    },

    /** Makes the first account; null where there is any account already, also where two starts try at once. */
    addFirst: async ({ email, role, name, passwordHash }: NewAccount): Promise<User | null> => {
      const results = await database.flush([
        { text: `select pg_advisory_xact_lock(7274502)` },
        ENTER,
        {
          text: `insert into users (email, role, name, password_hash) select $1, $2, $3, $4 where not exists (select from users) returning ${COLUMNS}`,
          values: [email, role, name, passwordHash],
        },
      ])
      const row: UserRow | undefined = results[2]?.rows[0]
      return row ? toUser(row) : null
    },

    any: async (): Promise<boolean> => (await ask(`select ${COLUMNS} from users limit 1`, [])).length > 0,
  }
}

export type Accounts = ReturnType<typeof createAccounts>
