import type { Database } from '../database/database.js'
import { toId } from '../domain/id.js'
import type { Id } from '../domain/id.js'
import { asIdentity } from './as-identity.js'

const FIND_USER = `
  select id, password_hash, suspended_at is not null as suspended from users where lower(email) = lower($1)`

// Locks the user's row until the commit: a change of password waits for it, and then revokes this token, too.
// Also deletes the user's expired tokens, so that the table holds only live sign-ins.
const INSERT = `
  with account as materialized (
    select id from users where id = $2 and password_hash = $6 and suspended_at is null for share
  ), swept as (
    delete from refresh_tokens where user_id in (select id from account) and expires_at <= now()
  )
  insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
  select $1, id, $3, $4, $5 from account
  returning id`

// One statement: the second of two that race waits for the row, finds used_at set, and changes nothing. So a token that
// is live, unused and of sufficient scope, but was not spent here, was spent by the other.
// A family has ended when any of its tokens is revoked, even if the revocation could not see the successor yet.
const ROTATE = `
  with presented as materialized (
    select id, family, user_id, scope, expires_at, used_at,
           string_to_array(scope, ' ') @> string_to_array($3, ' ') as in_scope,
           expires_at > now()
             and not exists (select from refresh_tokens r where r.family = t.family and r.revoked_at is not null)
             and exists (select from users u where u.id = t.user_id and u.suspended_at is null) as live
      from refresh_tokens t where token_hash = $1
  ), spent as (
    update refresh_tokens t set used_at = now() from presented p
     where t.id = p.id and p.live and p.in_scope and t.used_at is null and t.revoked_at is null
    returning t.id
  ), successor as (
    insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
    select p.family, p.user_id, $2, p.scope, p.expires_at from presented p join spent using (id)
  )
  select user_id, family, scope, case
           when exists (select from spent) then 'rotated'
           when used_at is not null then 'reused'
           when not live then 'refused'
           when not in_scope then 'scope_exceeded'
           else 'reused'
         end as outcome
    from presented`

const REVOKE_FAMILY = `
  update refresh_tokens set revoked_at = now()
   where family = (select family from refresh_tokens where token_hash = $1) and revoked_at is null`

interface AccountRow {
  readonly id: string
  /** null: the account has no password */
  readonly password_hash: string | null
  readonly suspended: boolean
}

interface RotationRow {
  /**
   * `reused`: it was used before, so somebody has a copy. `scope_exceeded`: it is live, but was not granted that scope.
   * `refused`: it is unknown, expired, revoked, or of a suspended user. Only `rotated` changes anything.
   */
  readonly outcome: 'rotated' | 'reused' | 'scope_exceeded' | 'refused'
  readonly user_id: string
  readonly family: string
  readonly scope: string
}

/** Sign-ins in PostgreSQL. All tokens of one sign-in are a family, and only their SHA-256 is stored. */
export const createSignInStore = (database: Database) => {
  const ask = async <Row>(name: string, text: string, values: readonly unknown[]): Promise<Row | undefined> => {
    const [result] = await asIdentity(database, { name, text, values })
    return result?.rows[0]
  }
  return {
    /** The account with this address, in any case. */
    findUserByEmail: async (email: string) => {
      const row = await ask<AccountRow>('sign_in_find_user', FIND_USER, [email])
      return row ? { id: toId(row.id), passwordHash: row.password_hash, suspended: row.suspended } : null
    },

    /** False, and nothing is stored, where the account was suspended or its password changed since it was verified. */
    insertRefreshToken: async (token: {
      readonly family: string
      readonly userId: Id
      readonly tokenHash: Buffer
      readonly scope: string
      readonly expiresAt: Date
      /** the hash against which the password was verified */
      readonly passwordHash: string
    }): Promise<boolean> => {
      const { family, userId, tokenHash, scope, expiresAt, passwordHash } = token
      const values = [family, userId, tokenHash, scope, expiresAt, passwordHash]
      return (await ask('sign_in_insert', INSERT, values)) !== undefined
    },

    /**
     * Marks a token as used and stores its successor, of the same family, scope and end. Of several rotations of one
     * token that race, exactly one is `rotated`; the others are `reused`.
     */
    rotateRefreshToken: async (presented: Buffer, successor: Buffer, scopes: readonly string[]) => {
      const row = await ask<RotationRow>('sign_in_rotate', ROTATE, [presented, successor, scopes.join(' ')])
      return row ? { ...row, userId: toId(row.user_id) } : null
    },

    /** Ends the family of this token: none of its tokens, also one that is being made, is rotated again. */
    revokeFamily: async (tokenHash: Buffer): Promise<void> => {
      await ask('sign_in_revoke_family', REVOKE_FAMILY, [tokenHash])
    },
  }
}

export type SignInStore = ReturnType<typeof createSignInStore>
