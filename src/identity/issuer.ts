import { randomUUID, type KeyObject } from 'node:crypto'

import { SignJWT } from 'jose'

import type { SigningKey } from './signing-key.js'

/** The `aud` of tokens for this service, unless JWT_AUDIENCE names another. */
const AUDIENCE = 'linkgate'

/** The longest lifetime of an access token, in seconds, that the verifier accepts. */
export const MAX_TTL_SECONDS = 86_400

/** An issuer's public keys. */
export interface KeySource {
  /**
   * The key with this name, if it is for this algorithm: each key has one algorithm (RFC 8725 §3.1). Rejects with
   * `Refusal('issuer_unavailable')` if the keys could not be fetched, and with another error if there is no such key.
   * `beforeFetch` is awaited first if the name is unknown, so that the keys must be fetched; what it throws is thrown.
   */
  find(kid: string, alg: string, beforeFetch?: () => Promise<void>): Promise<KeyObject>
}

/** The service's own issuer of JWT access tokens (RFC 9068), signed with ES256. */
export const createIssuer = (key: SigningKey, audience = AUDIENCE) => {
  // derived from the key, so that all nodes with the key agree on the name (docs/decisions/0005)
  const name = `urn:linkgate:${key.kid}`
  return {
    name,
    audience,

    /** Signs an access token. Throws RangeError if `ttlSeconds` is out of bounds. */
    sign: async (grant: {
      /** the user's id */
      readonly subject: string
      /** separated by spaces; empty grants nothing */
      readonly scope: string
      /** whole seconds from 1 to MAX_TTL_SECONDS */
      readonly ttlSeconds: number
      /** the sign-in (`sid`, a UUID) with which the token ends */
      readonly signIn?: string
    }) => {
      const { subject, scope, ttlSeconds, signIn } = grant
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS)
        throw new RangeError(`a token lives from 1 to ${MAX_TTL_SECONDS} seconds`)
      const now = Math.floor(Date.now() / 1_000)
      const id = randomUUID()
      const token = await new SignJWT({ scope, client_id: 'linkgate', sid: signIn })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
        .setIssuer(name)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(id)
        .setIssuedAt(now)
        .setExpirationTime(now + ttlSeconds)
        .sign(key.privateKey)
      return { token, id }
    },

    /** The public keys, as a JWK Set. */
    jwks: () => ({ keys: [key.jwk] }),

    keys: {
      find: async (kid, alg) => {
        if (kid !== key.kid || alg !== 'ES256') throw new Error('no key of this name and algorithm')
        return key.publicKey
      },
    } satisfies KeySource,
  }
}

export type Issuer = ReturnType<typeof createIssuer>
