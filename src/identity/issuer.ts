import { randomUUID } from 'node:crypto'

import { SignJWT } from 'jose'

import type { PublicJwk, SigningKey } from './signing-key.js'

/** The `aud` of tokens for this service where no other is set. */
export const AUDIENCE = 'linkgate'

/** The longest life of an access token, in seconds: what the verifier accepts at most. */
export const MAX_TTL_SECONDS = 86_400

export interface Grant {
  /** the user's id */
  readonly subject: string
  /** scopes, space-delimited; empty grants nothing */
  readonly scope: string
  /** whole seconds from 1 to MAX_TTL_SECONDS */
  readonly ttlSeconds: number
  readonly clientId?: string
  /** the sign-in that the token comes from, a UUID (`sid`): with it the token ends too */
  readonly signIn?: string
}

export interface Issuer {
  /** Signs an access token (RFC 9068). Throws RangeError where the life asked for is out of bounds. */
  sign(grant: Grant): Promise<{ readonly token: string; readonly expiresIn: number }>
  /** The public keys, as a JWK Set. */
  jwks(): { readonly keys: readonly PublicJwk[] }
}

export interface IssuerOptions {
  readonly issuer: string
  readonly audience: string
  readonly key: SigningKey
}

/** The service's own token issuer: JWT access tokens of RFC 9068, signed with ES256. */
export const createIssuer = ({ issuer, audience, key }: IssuerOptions): Issuer => {
  const jwks = Object.freeze({ keys: Object.freeze([Object.freeze({ ...key.jwk })]) })
  return {
    sign: async ({ subject, scope, ttlSeconds, clientId = 'linkgate', signIn }) => {
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS) {
        throw new RangeError(`a token lives from 1 to ${MAX_TTL_SECONDS} seconds`)
      }
      const now = Math.floor(Date.now() / 1_000)
      const token = await new SignJWT({ scope, client_id: clientId, ...(signIn === undefined ? {} : { sid: signIn }) })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + ttlSeconds)
        .sign(key.privateKey)
      return { token, expiresIn: ttlSeconds }
    },
    jwks: () => jwks,
  }
}
