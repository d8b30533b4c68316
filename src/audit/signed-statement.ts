import { createPublicKey, type KeyObject } from 'node:crypto'

import { CompactSign, calculateJwkThumbprint, compactVerify, decodeProtectedHeader } from 'jose'
import type { z } from 'zod'

import type { SigningKey } from '../identity/signing-key.js'

/** The signing key of statements, which is also that of the installation's tokens. */
export type StatementKey = Pick<SigningKey, 'kid' | 'privateKey' | 'publicKey'>

/** Public keys by their thumbprints (RFC 7638). */
export type StatementKeys = ReadonlyMap<string, KeyObject>

/** An entry for StatementKeys: from a public key, or from either key of a pair in PEM form. */
export const publicKeyOf = async (pem: string | KeyObject): Promise<readonly [string, KeyObject]> => {
  const key = typeof pem === 'string' ? createPublicKey(pem) : pem
  return [await calculateJwkThumbprint(key), key]
}

/** A kind of statement. The verifier of access tokens accepts only its own type, so no statement passes for a token. */
export interface StatementKind<T extends object> {
  /** `typ` of the JWS */
  readonly type: string
  readonly name: string
  readonly schema: z.ZodType<T>
}

/** A JWS in compact form (RFC 7515), ES256. */
export const signStatement = <T extends object>(
  { kid, privateKey }: StatementKey,
  { type }: StatementKind<T>,
  statement: T,
): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'ES256', typ: type, kid })
    .sign(privateKey)

/** The verified statement, or the reason why it is not valid. */
export const readStatement = async <T extends object>(
  jws: string,
  keys: StatementKeys,
  { type, name, schema }: StatementKind<T>,
): Promise<T | string> => {
  try {
    const kid = signerOf(jws)
    const key = keys.get(kid)
    if (key === undefined) return `is signed with the key ${kid}, which was not given`
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    if (protectedHeader.typ !== type) return `is not ${name}`
    return isCanonical(jws) ? schema.parse(JSON.parse(new TextDecoder().decode(payload))) : 'has no valid signature'
  } catch {
    return 'has no valid signature'
  }
}

/** The thumbprint of the key that a JWS names as its signer. Throws if it is not a JWS. */
export const signerOf = (jws: string): string => decodeProtectedHeader(jws).kid ?? ''

/** The last character of a signature has unused bits: without this check, one signature would have several forms. */
const isCanonical = (jws: string): boolean => {
  const signature = jws.slice(jws.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
