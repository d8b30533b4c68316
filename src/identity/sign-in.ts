import { randomUUID } from 'node:crypto'

import { ACTIONS, isServiceAction } from '../domain/action.js'
import type { Id } from '../domain/id.js'
import { Refusal } from '../domain/refusal.js'
import { isEmail } from '../domain/user.js'
import type { Issuer } from './issuer.js'
import { hashOfToken, isOpaqueToken, newOpaqueToken } from './opaque-token.js'
import type { Passwords } from './password.js'
import type { SignInStore } from './sign-in-store.js'

const ACCESS_TOKEN_SECONDS = 900
/** However often the sign-in is refreshed. */
const SIGN_IN_MS = 30 * 86_400_000

interface PasswordGrant {
  readonly username: string
  readonly password: string
  readonly scope?: string | undefined
}

interface RefreshGrant {
  readonly refresh_token: string
  readonly scope?: string | undefined
}

/** The token endpoint: trades a password or a refresh token for an access token and the next refresh token. */
export const createSignIn = ({
  store,
  issuer,
  passwords,
}: {
  readonly store: SignInStore
  readonly issuer: Pick<Issuer, 'sign'>
  readonly passwords: Passwords
}) => {
  /** A success of the token endpoint (RFC 6749 §5.1). */
  const answer = async (userId: Id, family: string, scopes: readonly string[], refreshToken: string) => {
    const scope = scopes.join(' ')
    const grant = { subject: userId, scope, ttlSeconds: ACCESS_TOKEN_SECONDS, signIn: family }
    const { token, expiresIn } = await issuer.sign(grant)
    const tokenType: 'Bearer' = 'Bearer'
    return { access_token: token, token_type: tokenType, expires_in: expiresIn, refresh_token: refreshToken, scope }
  }
  return {
    /**
     * `grant_type=password`. Throws the same `invalid_grant` for an unknown address, a wrong password and a suspended
     * account.
     */
    password: async ({ username, password, scope }: PasswordGrant) => {
      const scopes = parseRequestedScope(scope) ?? ACTIONS
      const account = isEmail(username) ? await store.findUserByEmail(username) : null
      const matches = await passwords.verify(account?.passwordHash, password)
      if (account === null || account.passwordHash === null || !matches || account.suspended) throw invalidGrant()
      const token = newOpaqueToken()
      const family = randomUUID()
      const stored = await store.insertRefreshToken({
        family,
        userId: account.id,
        tokenHash: hashOfToken(token),
        scope: scopes.join(' '),
        expiresAt: new Date(Date.now() + SIGN_IN_MS),
        passwordHash: account.passwordHash,
      })
      if (!stored) throw invalidGrant()
      return answer(account.id, family, scopes, token)
    },

    /**
     * `grant_type=refresh_token`: rotates the token. A token that comes back after its rotation ends the family,
     * because the owner cannot be told from a thief (RFC 9700 §4.14.2). A narrower scope is for the access token alone
     * (RFC 6749 §6).
     */
    refresh: async ({ refresh_token: presented, scope }: RefreshGrant) => {
      const requested = parseRequestedScope(scope)
      if (!isOpaqueToken(presented)) throw invalidGrant()
      const successor = newOpaqueToken()
      const presentedHash = hashOfToken(presented)
      const rotation = await store.rotateRefreshToken(presentedHash, hashOfToken(successor), requested ?? [])
      if (rotation?.outcome === 'rotated')
        return answer(rotation.userId, rotation.family, requested ?? namesIn(rotation.scope), successor)
      if (rotation?.outcome === 'scope_exceeded')
        throw new Refusal('invalid_scope', { detail: 'The scope goes beyond what was granted at sign-in.' })
      if (rotation?.outcome === 'reused') await store.revokeFamily(presentedHash)
      throw invalidGrant()
    },

    /** Signs out (RFC 7009): ends the token's family. An unknown token is no error. */
    revoke: async (refreshToken: string): Promise<void> => {
      if (isOpaqueToken(refreshToken)) await store.revokeFamily(hashOfToken(refreshToken))
    },
  }
}

export type SignIn = ReturnType<typeof createSignIn>

const namesIn = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(' '))

/**
 * The scopes of a request, without duplicates; null where it has no scope parameter. An empty one grants nothing: RFC
 * 6749 §3.2 would read it as absent, and so turn a slip into full power. `invalid_scope` for an unknown name.
 */
const parseRequestedScope = (scope: string | undefined): readonly string[] | null => {
  if (scope === undefined) return null
  const names = namesIn(scope)
  if (!names.every(isServiceAction))
    throw new Refusal('invalid_scope', { detail: `Scopes are: ${ACTIONS.join(', ')}.` })
  return [...new Set(names)]
}

const invalidGrant = (): Refusal => new Refusal('invalid_grant', { detail: 'The credentials are not valid.' })
