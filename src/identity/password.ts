import { randomBytes } from 'node:crypto'

import * as library from '@node-rs/argon2'

import { Refusal } from '../domain/refusal.js'
import { boundedWork } from './bounded-work.js'

/** Characters of a password, counted as Unicode code points (NIST SP 800-63B §3.1.1.2). */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const

export interface Passwords {
  /** The hash to store (PHC string). Throws `validation_failed` (422) for a password that is too short or too long. */
  hash(password: string): Promise<string>
  /**
   * True where the password is that of the hash. Without a hash (no such account, no password set) it does the same
   * work against a fixed hash and answers false, so the time tells nothing of the account.
   */
  verify(hash: string | null | undefined, password: string): Promise<boolean>
}

export interface PasswordsOptions {
  /** hashes computed at the same time; each takes 19 MiB and a thread */
  readonly atOnce?: number
  /** how many more may wait; beyond it: `rate_limited` (429) */
  readonly waiting?: number
  /** the library that hashes; a test that counts its calls gives another */
  readonly argon2?: Pick<typeof library, 'hash' | 'verify'>
}

// argon2id, the library's default algorithm, with the parameters that OWASP's password storage cheat sheet asks for
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** Passwords under argon2id (RFC 9106). Ready once the hash for accounts that are not there is made. */
export const createPasswords = async ({
  atOnce = 2,
  waiting = 32,
  argon2 = library,
}: PasswordsOptions = {}): Promise<Passwords> => {
  const bounded = boundedWork({ atOnce, waiting })
  const nobodys = await argon2.hash(randomBytes(32), PARAMETERS)
  return {
    hash: async (password) => {
      const normal = normalize(password)
      if (normal === null) {
        throw new Refusal('validation_failed', {
          errors: [
            { field: 'password', message: `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters` },
          ],
        })
      }
      return bounded(() => argon2.hash(normal, PARAMETERS))
    },
    verify: async (stored, password) => {
      // What can be nobody's password is refused without work, whoever the account belongs to.
      const normal = normalize(password)
      if (normal === null) return false
      const matches = await bounded(() => argon2.verify(stored ?? nobodys, normal).catch(() => false))
      return matches && stored !== null && stored !== undefined
    },
  }
}

/**
 * One form for one password however a keyboard composed it (NIST SP 800-63B: NFKC); null where its length is out of
 * bounds.
 */
const normalize = (password: string): string | null => {
  // bounds what is normalized; no character takes more than two units
  if (password.length > 2 * PASSWORD_LENGTH.max) return null
  const length = [...password].length
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max ? password.normalize('NFKC') : null
}
