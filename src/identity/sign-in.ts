import { randomUUID } from 'node:crypto'

import { ACTIONS, isServiceAction } from '../domain/action.js'
import type { Id } from '../domain/id.js'
import { Refusal } from '../domain/refusal.js'
import type { Issuer } from './issuer.js'
import { hashOfToken, isOpaqueToken, newOpaqueToken } from './opaque-token.js'
import type { Passwords } from './password.js'

/** An account as sign-in needs it. */
export interface Account {
  readonly id: Id
  /** null: the account has no password */
  readonly passwordHash: string | null
  readonly suspended: boolean
}

export interface NewRefreshToken {
  /** all tokens that follow from one sign-in */
  readonly family: string
  readonly userId: Id
  /** SHA-256; the token itself is never stored */
  readonly tokenHash: Buffer
  readonly scope: string
  readonly expiresAt: Date
  /** the hash that the password was checked against */
  readonly passwordHash: string
}

/** What became of a token that was to be rotated. */
export type Rotation =
  /** it is used, and its successor, of the same family, scope and end, is stored */
  | { readonly outcome: 'rotated'; readonly userId: Id; readonly family: string; readonly scope: string }
  /** it was used before: somebody holds a copy */
  | { readonly outcome: 'reused' }
  /** it is live, but was not granted what was asked for; nothing changed */
  | { readonly outcome: 'scope_exceeded' }
  /** unknown, expired, revoked, or of a suspended user */
  | { readonly outcome: 'refused' }

/** Where refresh tokens live. Every method is one atomic step. */
export interface SignInStore {
  /** The account with this address, in any case. */
  findUserByEmail(email: string): Promise<Account | null>
  /** False, and nothing is stored, where the account was suspended or its password changed since it was checked. */
  insertRefreshToken(token: NewRefreshToken): Promise<boolean>
  /** Of several rotations of one token at the same time exactly one is `rotated`; the others are `reused`. */
  rotateRefreshToken(change: {
    readonly presented: Buffer
    readonly successor: Buffer
    readonly scopes: readonly string[]
  }): Promise<Rotation>
  /** Ends the family of this token: no token of it, also none that is being made, will be rotated again. */
  revokeFamily(tokenHash: Buffer): Promise<void>
}

/** A success of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

export interface SignIn {
  /** `grant_type=password`. One `invalid_grant` for an unknown address, a wrong password and a suspended account. */
  password(request: {
    readonly username: string
    readonly password: string
    readonly scope?: string | undefined
  }): Promise<TokenAnswer>
  /**
   * `grant_type=refresh_token`: rotates the token. Reuse of one that was rotated ends the family (RFC 9700 §4.14.2),
   * for either of two holders cannot be told from the thief. A narrower scope holds for the access token alone (RFC
   * 6749 §6).
   */
  refresh(request: { readonly refresh_token: string; readonly scope?: string | undefined }): Promise<TokenAnswer>
  /** Signs out (RFC 7009): ends the token's family. A token that is not known is no error. */
  revoke(refreshToken: string): Promise<void>
}

export interface SignInOptions {
  readonly store: SignInStore
  readonly issuer: Issuer
  readonly passwords: Passwords
  /** life of an access token in seconds; default 900 */
  readonly accessTtl?: number
  /** life of a sign-in in seconds, however often it is refreshed; default 30 days */
  readonly refreshTtl?: number
}

const EMAIL = /^[^@\s\0]+@[^@\s\0]+$/

/**
 * The logic of the token endpoint: trades a password or a refresh token for an access token and the next refresh token.
 */
export const createSignIn = ({
  store,
  issuer,
  passwords,
  accessTtl = 900,
  refreshTtl = 30 * 86_400,
}: SignInOptions): SignIn => {
  const answer = async (
    userId: Id,
    family: string,
    scopes: readonly string[],
    refreshToken: string,
  ): Promise<TokenAnswer> => {
    const scope = scopes.join(' ')
    const { token, expiresIn } = await issuer.sign({ subject: userId, scope, ttlSeconds: accessTtl, signIn: family })
    return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, refresh_token: refreshToken, scope }
  }
  return {
    password: async ({ username, password, scope }) => {
      const scopes = parseRequestedScope(scope) ?? ACTIONS
      // What is no address is nobody's, and takes as long as any other.
      const account = EMAIL.test(username) && username.length <= 254 ? await store.findUserByEmail(username) : null
      const matches = await passwords.verify(account?.passwordHash, password)
      if (account === null || account.passwordHash === null || !matches || account.suspended) throw invalidGrant()
      const token = newOpaqueToken()
      const family = randomUUID()
      const stored = await store.insertRefreshToken({
        family,
        userId: account.id,
        tokenHash: hashOfToken(token),
        scope: scopes.join(' '),
        expiresAt: new Date(Date.now() + refreshTtl * 1_000),
        passwordHash: account.passwordHash,
      })
      if (!stored) throw invalidGrant()
      return answer(account.id, family, scopes, token)
    },

    refresh: async ({ refresh_token: presented, scope }) => {
      const asked = parseRequestedScope(scope)
      if (!isOpaqueToken(presented)) throw invalidGrant()
      const successor = newOpaqueToken()
      const rotation = await store.rotateRefreshToken({
        presented: hashOfToken(presented),
        successor: hashOfToken(successor),
        scopes: asked ?? [],
      })
      switch (rotation.outcome) {
        case 'rotated':
          return answer(rotation.userId, rotation.family, asked ?? namesIn(rotation.scope), successor)
        case 'scope_exceeded':
          throw new Refusal('invalid_scope', { detail: 'The scope goes beyond what was granted at sign-in.' })
        case 'reused':
          await store.revokeFamily(hashOfToken(presented))
          throw invalidGrant()
        case 'refused':
          throw invalidGrant()
      }
    },

    revoke: async (refreshToken) => {
      if (isOpaqueToken(refreshToken)) await store.revokeFamily(hashOfToken(refreshToken))
    },
  }
}

const namesIn = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(' '))

/**
 * The scopes that a request names, each once; null where it has no scope parameter. An empty one grants nothing:
 * reading it as "all", as RFC 6749 §3.2 would have it, turns a slip into full power. `invalid_scope` for a name that is
 * not ours.
 */
const parseRequestedScope = (scope: string | undefined): readonly string[] | null => {
  if (scope === undefined) return null
  const names = namesIn(scope)
  if (!names.every(isServiceAction))
    throw new Refusal('invalid_scope', { detail: `Scopes are: ${ACTIONS.join(', ')}.` })
  return [...new Set(names)]
}

/** One answer for everything that is wrong with credentials: it tells nobody which accounts there are. */
const invalidGrant = (): Refusal => new Refusal('invalid_grant', { detail: 'The credentials are not valid.' })
