import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'
import { toId } from '../domain/id.js'
import type { Rotation, SignInStore } from './sign-in.js'

/** The first statement of every transaction here: row-level security lets only the role `identity` see these tables. */
const ENTER: Statement = { name: 'enter_identity', text: 'select enter_identity()' }

const FIND_USER = `
  select id, password_hash, suspended_at is not null as suspended from users where lower(email) = lower($1)`

// The user's row is locked until the commit: a change of password waits for it, and then revokes this token too.
// A sign-in sweeps what has ended of the same user, so the table grows with live sign-ins only.
const INSERT = `
  with account as materialized (
    select id from users where id = $2 and password_hash = $6 and suspended_at is null for share
  ), swept as (
    delete from refresh_tokens where user_id in (select id from account) and expires_at <= now()
  )
  insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
  select $1, id, $3, $4, $5 from account
  returning id`

// One statement. Of two that meet, the second waits for the row, finds used_at set, and changes nothing.
// A family is over when any of its tokens is revoked: so a successor whose insertion a revocation could not see yet is
// dead all the same.
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
  select p.user_id, p.family, p.scope, p.live, p.in_scope, p.used_at is not null as used, exists (select from spent) as rotated from presented p`

const REVOKE_FAMILY = `
  update refresh_tokens set revoked_at = now()
   where family = (select family from refresh_tokens where token_hash = $1) and revoked_at is null`

interface AccountRow {
  readonly id: string
  readonly password_hash: string | null
  readonly suspended: boolean
}

interface RotationRow {
  readonly user_id: string
  readonly family: string
  readonly scope: string
  readonly live: boolean
  readonly in_scope: boolean
  readonly used: boolean
  readonly rotated: boolean
}

/** Sign-ins in PostgreSQL (migrations/0006_sign_in.sql). */
export const createSignInStore = (database: Database): SignInStore => {
  const ask = async <Row>(name: string, text: string, values: readonly unknown[]): Promise<Row | undefined> => {
    const [, result] = await database.flush([ENTER, { name, text, values }])
    return result?.rows[0]
  }
  return {
    findUserByEmail: async (email) => {
      const row = await ask<AccountRow>('sign_in_find_user', FIND_USER, [email])
      return row ? { id: toId(row.id), passwordHash: row.password_hash, suspended: row.suspended } : null
    },
    insertRefreshToken: async ({ family, userId, tokenHash, scope, expiresAt, passwordHash }) =>
      (await ask('sign_in_insert', INSERT, [family, userId, tokenHash, scope, expiresAt, passwordHash])) !== undefined,
    rotateRefreshToken: async ({ presented, successor, scopes }) =>
      toRotation(await ask<RotationRow>('sign_in_rotate', ROTATE, [presented, successor, scopes.join(' ')])),
    revokeFamily: async (tokenHash) => {
      await ask('sign_in_revoke_family', REVOKE_FAMILY, [tokenHash])
    },
  }
}

const toRotation = (row: RotationRow | undefined): Rotation => {
  if (row === undefined) return { outcome: 'refused' }
  if (row.rotated) return { outcome: 'rotated', userId: toId(row.user_id), family: row.family, scope: row.scope }
  if (row.used) return { outcome: 'reused' }
  if (!row.live) return { outcome: 'refused' }
  // A live, unused token that was granted all this: another rotation took it while this one waited.
  return { outcome: row.in_scope ? 'reused' : 'scope_exceeded' }
}
