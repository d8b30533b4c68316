import type { KeyObject } from 'node:crypto'

import type { SigningKey } from './signing-key.js'

/** Where the public keys of an issuer come from. */
export interface KeySource {
  /**
   * The public key of this name, if it is a key of this algorithm: one key serves one algorithm (RFC 8725 §3.1).
   * Rejects with `Refusal('issuer_unavailable')` where the keys could not be asked for, and with any other error where
   * there is no such key.
   */
  find(kid: string, alg: string): Promise<KeyObject>
}

/** The own issuer's one key. */
export const ownKeys = ({ kid, publicKey }: SigningKey): KeySource => ({
  find: async (wanted, alg) => {
    if (wanted !== kid || alg !== 'ES256') throw new Error('no key of this name and algorithm')
    return publicKey
  },
})
