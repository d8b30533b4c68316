import { ADVISORY_LOCKS } from '../database/advisory-locks.js'
import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import { sendTo, type Statement } from '../database/statement.js'
import { USER_ROW, toUser, type UserRow } from '../database/user-row.js'
import { counted } from '../domain/counted.js'
import { isId, type Id } from '../domain/id.js'
import type { LinksOfDeleted, User } from '../domain/user.js'
import { Refusal } from '../domain/refusal.js'
import { ENTER_IDENTITY, asIdentity, lockRights, rowAsIdentity } from './as-identity.js'
import { lockUsers, refuseNoHeir } from './heir.js'

interface NewAccount {
  readonly email: string
  readonly role: string
  readonly name: string
  /** argon2id hash; null: no sign-in by password */
  readonly passwordHash: string | null
}

export interface ExternalSubject {
  readonly issuer: string
  readonly subject: string
}

/** A stored link for choosing a password. */
interface PasswordLinkHash {
  readonly hash: Buffer
  readonly expiresAt: Date
}

const ADD = `
  with added as (
    insert into users (email, role, name, password_hash) values ($1, $2, $3, $4) returning *
  ), linked as (
    insert into external_identities (issuer, subject, user_id)
    select $5::text, $6::text, id from added where $5 is not null
  )
  select ${USER_ROW} from added`

// Under the lock, so that only one of two nodes starting at once adds it.
const FIRST_ACCOUNT_LOCK: Statement = {
  text: 'select pg_advisory_xact_lock($1)',
  values: [ADVISORY_LOCKS.firstAccount],
}
const ADD_FIRST = `
  with added as (
    insert into users (email, role, name, password_hash)
    select $1, $2, $3, $4 where not exists (select from users) returning *
  ), linked as (
    insert into account_tokens (user_id, purpose, token_hash, expires_at)
    select id, 'password', $5::bytea, $6::timestamptz from added where $5 is not null
  )
  select ${USER_ROW} from added`

const ADD_PERSONAL_TOKEN = `
  insert into personal_tokens (user_id, name, token_hash, scopes, expires_at)
  values ($1, $2, $3, $4, $5)`

/** How many accounts are listed at once. */
const PAGE = 500

/** The most links that one statement deletes or moves. */
const BATCH = 10_000

const countLinks = (owner: Id): Statement => ({
  text: 'select count(*) from links where owner_id = $1',
  values: [owner],
})

/**
 * Deletes a batch of a user's links, or gives it away. Each link is recorded (migrations/functions/record_change.sql).
 */
const takeLinks = (table: 'links' | 'deleted_links', owner: Id, links: LinksOfDeleted): Statement => {
  const batch = `where id in (select id from ${table} where owner_id = $1 limit ${BATCH})`
  if (links === 'delete') return { text: `delete from ${table} ${batch}`, values: [owner] }
  const changed = table === 'links' ? ', updated_at = now(), version = version + 1' : ''
  return { text: `update ${table} set owner_id = $2${changed} ${batch}`, values: [owner, links.to] }
}

/** Takes batch after batch, until one is not full. */
const inBatches = async (take: () => Promise<number | null | undefined>): Promise<void> => {
  while ((await take().catch(refuseNoHeir)) === BATCH) continue
}

/**
 * Accounts as the first start and the command line manage them, without the data layer. Requests come here only to read
 * the roles in use or the user with an address; they change nothing here.
 */
export const createAccounts = (database: Database) => {
  const rowsOf = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await asIdentity(database, [{ text, values }]))[0]?.rows ?? []
  const ask = async (text: string, values: readonly unknown[]) => (await rowsOf<UserRow>(text, values)).map(toUser)
  const change = async (id: Id, assignment: string, value: unknown, ...more: readonly Statement[]) => {
    const update = {
      text: `update users set ${assignment}, updated_at = now(), version = version + 1
        where id = $1 returning ${USER_ROW}`,
      values: [id, value],
    }
    const [, updated] = await asIdentity(database, [lockRights(id), update, ...more])
    const row: UserRow | undefined = updated?.rows[0]
    return row ? toUser(row) : null
  }
  const setSuspended = (id: Id, suspended: boolean): Promise<User | null> =>
    change(id, 'suspended_at = case when $2 then coalesce(suspended_at, now()) end', suspended)
  return {
    /** Throws `email_taken` if the address has an account, in any case, and `conflict` if the subject is linked. */
    add: async ({ email, role, name, passwordHash }: NewAccount, external?: ExternalSubject): Promise<User> => {
      const values = [email, role, name, passwordHash, external?.issuer ?? null, external?.subject ?? null]
      const [user] = await ask(ADD, values)
        .catch(refuseTaken(email))
        .catch((error: unknown) => {
          throw violates(error, 'external_identities_pkey') ? linkedToAnother(external?.subject) : error
        })
      if (!user) throw new Error('the insert returned no row')
      return user
    },

    /** By id, or by address in any case; null if there is no such account. */
    find: async (idOrEmail: string): Promise<User | null> => {
      const where = isId(idOrEmail) ? 'id = $1' : 'lower(email) = lower($1)'
      const [user] = await ask(`select ${USER_ROW} from users where ${where}`, [idOrEmail])
      return user ?? null
    },

    /** The roles that users have, suspended or not. */
    rolesInUse: async (): Promise<readonly string[]> =>
      (await rowsOf<{ readonly role: string }>('select distinct role from users order by role')).map(
        ({ role }) => role,
      ),

    /** All accounts, oldest first, a page at a time. */
    list: async function* (): AsyncGenerator<User> {
      for (let after = '0'; ;) {
        const users = await ask(`select ${USER_ROW} from users where id > $1 order by id limit $2`, [after, PAGE])
        yield* users
        if (users.length < PAGE) return
        after = users.at(-1)?.id ?? after
      }
    },

    /** Null if there is no such account. Throws `last_admin` if no active admin would be left. */
    setRole: (id: Id, role: string): Promise<User | null> => change(id, 'role = $2', role),

    /** Throws `email_taken` if another account has the address, in any case. */
    setEmail: (id: Id, email: string): Promise<User | null> =>
      change(id, 'email = $2', email).catch(refuseTaken(email)),

    /** Like `setRole`. The tokens and sign-ins of a suspended account are refused. */
    setSuspended,

    /** Sets the password and ends all sign-ins of the account, in one transaction. */
    setPassword: (id: Id, passwordHash: string): Promise<User | null> =>
      change(id, 'password_hash = $2', passwordHash, {
        text: 'update refresh_tokens set revoked_at = now() where user_id = $1 and revoked_at is null',
        values: [id],
      }),

    /**
     * Deletes an account and everything it owns. Its links, also those in the trash, are deleted or go to another
     * account. Throws `has_links` if it has links and `links` is undefined, `validation_failed` if the other account
     * does not exist, and `last_admin`. Many links are handled in batches with a commit each: the account is suspended
     * first, and after an interruption the next call continues.
     */
    remove: async (id: Id, links: LinksOfDeleted | undefined): Promise<void> => {
      const owned = await rowAsIdentity<{ readonly count: string }>(database, [countLinks(id)])
      if (links !== undefined && Number(owned?.count) > BATCH) {
        await setSuspended(id, true)
        const take = takeLinks('links', id, links)
        await inBatches(async () => (await asIdentity(database, [take]))[0]?.rowCount)
      }
      await database.transaction(async (client) => {
        const send = (statement: Statement) => sendTo(client, statement)
        await send(ENTER_IDENTITY)
        // exclusive, and before any row lock: waits for the user's running changes
        await send(lockRights(id))
        for (const lock of lockUsers(id, typeof links === 'object' ? links.to : null)) await send(lock)
        const { rows } = await send(countLinks(id))
        const count = Number(rows[0]?.count)
        if (count > 0 && links === undefined) throw hasLinks(count)
        for (const table of ['links', 'deleted_links'] as const) {
          const take = takeLinks(table, id, links ?? 'delete')
          await inBatches(async () => (await send(take)).rowCount)
        }
        await send({ text: 'delete from users where id = $1', values: [id] })
      })
    },

    /** Makes a link for choosing a new password for the account. */
    addPasswordLink: async (id: Id, { hash, expiresAt }: PasswordLinkHash): Promise<void> => {
      const text = `
        insert into account_tokens (user_id, purpose, token_hash, expires_at) values ($1, 'password', $2, $3)`
      await asIdentity(database, [{ text, values: [id, hash, expiresAt] }])
    },

    /** Links a subject of an external issuer to an account. Throws `conflict` if it is linked to another one. */
    link: async (id: Id, { issuer, subject }: ExternalSubject): Promise<void> => {
      const linked = await rowAsIdentity<{ readonly user_id: string }>(database, [
        {
          text: 'insert into external_identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing',
          values: [issuer, subject, id],
        },
        {
          text: 'select user_id from external_identities where issuer = $1 and subject = $2',
          values: [issuer, subject],
        },
      ])
      if (linked?.user_id !== id) throw linkedToAnother(subject)
    },

    /** Throws `too_many_tokens` if the account has reached its limit of live personal tokens. */
    addPersonalToken: async (
      id: Id,
      name: string,
      hash: Buffer,
      scopes: readonly string[],
      expiresAt: Date,
    ): Promise<void> => {
      await asIdentity(database, [{ text: ADD_PERSONAL_TOKEN, values: [id, name, hash, scopes, expiresAt] }])
    },

    /** Records an access token (`jti`) that was signed for the account. The token itself is stored nowhere. */
    recordSignedToken: async (id: Id, token: string, scopes: readonly string[], expiresAt: Date): Promise<void> => {
      const text = 'select record_signed_token($1, $2, $3, $4)'
      await asIdentity(database, [{ text, values: [id, token, scopes, expiresAt] }])
    },

    /** Adds the first account along with a link for choosing its password; null if there is an account already. */
    addFirst: async (
      { email, role, name, passwordHash }: NewAccount,
      link?: PasswordLinkHash,
    ): Promise<User | null> => {
      const values = [email, role, name, passwordHash, link?.hash ?? null, link?.expiresAt ?? null]
      const row = await rowAsIdentity<UserRow>(database, [FIRST_ACCOUNT_LOCK, { text: ADD_FIRST, values }])
      return row ? toUser(row) : null
    },

    /** Whether there are accounts, and whether one of them is an active admin's. */
    existing: async () => {
      const text = `
        select exists (select from users) as accounts,
               exists (select from users where role = 'admin' and suspended_at is null) as admins`
      return rowAsIdentity<{ readonly accounts: boolean; readonly admins: boolean }>(database, [{ text }])
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>

const refuseTaken =
  (email: string) =>
  (error: unknown): never => {
    if (!violates(error, 'users_email_key')) throw error
    throw new Refusal('email_taken', { detail: `The e-mail address ${email} is taken.` })
  }

const hasLinks = (count: number): Refusal =>
  new Refusal('has_links', {
    detail: `The user has ${counted(count, 'link')}: say --links delete, or --links transfer:USER.`,
  })

const linkedToAnother = (subject: string | undefined): Refusal =>
  new Refusal('conflict', { detail: `The subject ${subject} is linked to another user.` })
