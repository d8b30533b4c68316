import { randomUUID } from 'node:crypto'

import { ADVISORY_LOCKS } from '../database/advisory-locks.js'
import type { Database } from '../database/database.js'
import { recordUnder } from '../database/decision-log.js'
import type { Statement } from '../database/statement.js'
import { ACTIONS, SCOPES, isScope } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import { Refusal } from '../domain/refusal.js'
import { isEmail } from '../domain/user.js'
import { asIdentity, rowAsIdentity } from './as-identity.js'
import type { Issuer } from './issuer.js'
import { hashOfToken, isOpaqueToken, newOpaqueToken } from './opaque-token.js'
import type { Passwords } from './password.js'

const ACCESS_TOKEN_SECONDS = 900
/** The longest sign-in, however often it is refreshed. */
const SIGN_IN_MS = 30 * 86_400_000

const FIND_ACCOUNT = `
  select id, password_hash, suspended_at is not null as suspended from users where lower(email) = lower($1)`

// Locks the user's row until the commit: a concurrent change of password waits, and then revokes this token, too. Also
// deletes the user's expired tokens, so that the table holds only live sign-ins.
const INSERT = `
  with account as materialized (
    select id from users where id = $2 and password_hash = $6 and suspended_at is null for share
  ), swept as (
    delete from refresh_tokens where user_id in (select id from account) and expires_at <= now()
  )
  insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
  select $1, id, $3, $4, $5 from account
  returning id`

// Serializes the rotations of one family. A separate statement, so that ROTATE sees the result of the one it waited
// for. The user's row first: a deletion holds it while it takes the user's links, and then deletes the tokens. The new
// token's foreign key locks it in any case.
const LOCK_ROTATION = `
  select pg_advisory_xact_lock(${ADVISORY_LOCKS.rotation}, hashtext(t.family::text))
    from refresh_tokens t join users u on u.id = t.user_id where t.token_hash = $1 for key share of u`

// Twins are one generation. A token is spent once any of its own or a later generation was used: each branch of a
// family ends the others. $4: for how many seconds a spent token may still be presented, and gets a twin of the newest;
// null: never. A family has ended when any of its tokens is revoked, even if the revocation could not see the successor
// yet; one that commits meanwhile is seen by the update alone.
const ROTATE = `
  with presented as (
    select id, family, user_id, scope, expires_at, coalesce(twin_of, id) as generation
      from refresh_tokens where token_hash = $1
  ), of_family as (
    select min(r.used_at) filter (where coalesce(r.twin_of, r.id) >= p.generation) as spent_at,
           max(coalesce(r.twin_of, r.id)) as newest, bool_or(r.revoked_at is not null) as revoked
      from presented p join refresh_tokens r using (family)
  ), decided as materialized (
    select p.*, f.spent_at, f.newest, case
             when f.spent_at is not null
              and coalesce(clock_timestamp() >= f.spent_at + make_interval(secs => $4), true) then 'reused'
             when f.revoked or p.expires_at <= now()
               or not exists (select from users u where u.id = p.user_id and u.suspended_at is null) then 'refused'
             when not string_to_array(p.scope, ' ') @> string_to_array($3, ' ') then 'scope_exceeded'
             else 'rotated'
           end as outcome
      from presented p cross join of_family f
  ), spent as (
    update refresh_tokens t set used_at = coalesce(t.used_at, now()) from decided d
     where t.id = d.id and d.outcome = 'rotated' and t.revoked_at is null
    returning t.id
  ), successor as (
    insert into refresh_tokens (family, user_id, token_hash, scope, expires_at, twin_of)
    select d.family, d.user_id, $2, d.scope, d.expires_at, case when d.spent_at is not null then d.newest end
      from decided d join spent using (id)
  )
  select user_id, family, scope, expires_at,
         case when outcome = 'rotated' and not exists (select from spent) then 'refused' else outcome end as outcome
    from decided`

const LOCK_FAMILY = 'select lock_rights(null, user_id) from refresh_tokens where token_hash = $1'
const REVOKE_FAMILY = `
  with revoked as (
    update refresh_tokens set revoked_at = now()
     where family = (select family from refresh_tokens where token_hash = $1) and revoked_at is null
    returning user_id, family
  )
  select record_ended_sign_in(user_id, family, $2) from (select distinct user_id, family from revoked) ended`

/** Ends the family of a refresh token. `reused`: somebody has a copy of the token; otherwise its user signs out. */
const endFamily = (hash: Buffer, reused: boolean): readonly Statement[] => [
  { name: 'sign_in_lock', text: LOCK_FAMILY, values: [hash] },
  { name: 'sign_in_revoke', text: REVOKE_FAMILY, values: [hash, reused] },
]

interface Account {
  readonly id: string
  /** null: the account has no password */
  readonly password_hash: string | null
  readonly suspended: boolean
}

interface Rotation {
  /**
   * `reused`: it was spent before, so somebody has a copy. `scope_exceeded`: it is live, but was not granted that
   * scope. `refused`: it is expired, revoked, or belongs to a suspended user. Only `rotated` changes anything.
   */
  readonly outcome: 'rotated' | 'reused' | 'scope_exceeded' | 'refused'
  readonly user_id: string
  readonly family: string
  readonly scope: string
  /** when the sign-in ends */
  readonly expires_at: Date
}

/** The account with this address, in any case. */
export const findAccount = async (database: Database, email: string): Promise<Account | undefined> => {
  const find = { name: 'sign_in_find_account', text: FIND_ACCOUNT, values: [email] }
  return rowAsIdentity(database, [find])
}

/** The request behind a sign-in: what the log keeps of it, and its deadline for the commit. */
export interface SignInRequest {
  readonly id: string
  readonly network: string
  readonly deadline: Deadline
}

/** Passes the request to the triggers that record the rest of the transaction. */
export const originOf = ({ id, network }: SignInRequest, subject: string | null): Statement =>
  recordUnder({ request_id: id, network, subject_id: subject })

export interface PasswordGrant {
  readonly username: string
  readonly password: string
  readonly scope?: string | undefined
}

export interface RefreshGrant {
  readonly refresh_token: string
  readonly scope?: string | undefined
  /**
   * Seconds after the first use in which the token may be presented again, because two tabs of a browser share it.
   * Absent: never.
   */
  readonly grace?: number
}

/** A new or continued sign-in. */
export interface SignedIn {
  /** the access token response of RFC 6749 §5.1 */
  readonly access: {
    readonly access_token: string
    readonly token_type: 'Bearer'
    readonly expires_in: number
    readonly scope: string
  }
  readonly refreshToken: string
  /** fixed, however often it is refreshed */
  readonly endsAt: Date
}

/**
 * The token endpoint: exchanges a password or a refresh token for an access token and the next refresh token. All
 * tokens of one sign-in are a family. Only the SHA-256 of a refresh token is stored.
 */
export const createSignIn = ({
  database,
  issuer,
  passwords,
}: {
  readonly database: Database
  readonly issuer: Pick<Issuer, 'sign'>
  readonly passwords: Passwords
}) => {
  const answer = async (
    subject: string,
    { family, expires_at: endsAt }: Pick<Rotation, 'family' | 'expires_at'>,
    scopes: readonly string[],
    refreshToken: string,
  ): Promise<SignedIn> => {
    const scope = scopes.join(' ')
    // an access token outlives its sign-in by at most the one second that it lives at least
    const left = Math.floor((endsAt.getTime() - Date.now()) / 1_000)
    const ttlSeconds = Math.max(1, Math.min(ACCESS_TOKEN_SECONDS, left))
    const { token } = await issuer.sign({ subject, scope, ttlSeconds, signIn: family })
    return {
      access: { access_token: token, token_type: 'Bearer', expires_in: ttlSeconds, scope },
      refreshToken,
      endsAt,
    }
  }

  /**
   * Records the refusal and throws it. `user`: the account that the sign-in was for; null if unknown. `ending`: further
   * statements of the same transaction.
   */
  const refuse = async (
    user: string | null,
    grant: keyof typeof WHY_NOT,
    request: SignInRequest,
    ending: readonly Statement[] = [],
  ): Promise<never> => {
    const text = 'select record_refused_sign_in($1, $2)'
    const record = { name: 'sign_in_refuse', text, values: [user, grant] }
    await asIdentity(database, [originOf(request, null), ...ending, record], request.deadline)
    throw new Refusal('invalid_grant', { detail: WHY_NOT[grant] })
  }

  return {
    /**
     * `grant_type=password`. Throws the same `invalid_grant` for an unknown address, a wrong password and a suspended
     * account. Both outcomes are recorded.
     */
    password: async ({ username, password, scope }: PasswordGrant, request: SignInRequest) => {
      const scopes = parseRequestedScope(scope) ?? ACTIONS
      const account = isEmail(username) ? await findAccount(database, username) : undefined
      const matches = await passwords.verify(account?.password_hash, password)
      if (account === undefined || !matches || account.suspended)
        return refuse(account?.id ?? null, 'password', request)
      const token = newOpaqueToken()
      const family = randomUUID()
      const expiresAt = new Date(Date.now() + SIGN_IN_MS)
      const values = [family, account.id, hashOfToken(token), scopes.join(' '), expiresAt, account.password_hash]
      // nothing is inserted if the account was suspended or its password changed meanwhile
      const insert = { name: 'sign_in_insert', text: INSERT, values }
      const statements = [originOf(request, account.id), insert]
      if ((await rowAsIdentity(database, statements, request.deadline)) === undefined)
        return refuse(account.id, 'password', request)
      return answer(account.id, { family, expires_at: expiresAt }, scopes, token)
    },

    /**
     * `grant_type=refresh_token`: rotates the token. A spent token that is presented after the grace period ends the
     * family, because the owner cannot be told from a thief (RFC 9700 §4.14.2). Within the grace period, both tokens
     * work until one of them is used; then the other is spent, so a stolen copy shows at its next use. A narrower scope
     * applies only to the access token (RFC 6749 §6).
     */
    refresh: async ({ refresh_token: presented, scope, grace }: RefreshGrant, request: SignInRequest) => {
      const requested = parseRequestedScope(scope)
      if (!isOpaqueToken(presented)) return refuse(null, 'refresh_token', request)
      const successor = newOpaqueToken()
      const hash = hashOfToken(presented)
      const values = [hash, hashOfToken(successor), (requested ?? []).join(' '), grace ?? null]
      const statements = [
        { name: 'sign_in_lock_rotation', text: LOCK_ROTATION, values: [hash] },
        { name: 'sign_in_rotate', text: ROTATE, values },
      ]
      const rotation = await rowAsIdentity<Rotation>(database, statements, request.deadline)
      if (rotation?.outcome === 'rotated')
        return answer(rotation.user_id, rotation, requested ?? namesIn(rotation.scope), successor)
      if (rotation?.outcome === 'scope_exceeded')
        throw new Refusal('invalid_scope', { detail: 'The scope goes beyond what was granted at sign-in.' })
      const ending = rotation?.outcome === 'reused' ? endFamily(hash, true) : []
      return refuse(rotation?.user_id ?? null, 'refresh_token', request, ending)
    },

    /** Signs out (RFC 7009): ends the token's family. An unknown token is not an error. */
    revoke: async (refreshToken: string, request: SignInRequest): Promise<void> => {
      if (!isOpaqueToken(refreshToken)) return
      const ending = endFamily(hashOfToken(refreshToken), false)
      await asIdentity(database, [originOf(request, null), ...ending], request.deadline)
    },
  }
}

export type SignIn = ReturnType<typeof createSignIn>

const namesIn = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(' '))

/**
 * The scopes of a request, without duplicates; null if it has no scope parameter. An empty one grants nothing: RFC 6749
 * §3.2 would treat it as absent, and so turn a mistake into full rights. `invalid_scope` for an unknown name.
 */
const parseRequestedScope = (scope: string | undefined): readonly string[] | null => {
  if (scope === undefined) return null
  const names = namesIn(scope)
  if (!names.every(isScope)) throw new Refusal('invalid_scope', { detail: `Scopes are: ${SCOPES.join(', ')}.` })
  return [...new Set(names)]
}

/** One message per grant, whatever was wrong with it. */
const WHY_NOT = {
  password: 'No active account has this address and this password.',
  refresh_token: 'The refresh token was used before, was revoked or has expired: sign in again.',
} as const
