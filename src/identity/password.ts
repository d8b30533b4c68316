import { randomBytes } from 'node:crypto'

import { createGate } from '../domain/gate.js'
import { Refusal } from '../domain/refusal.js'
import { isOneLine } from '../domain/text.js'
import { loadArgon2, type Argon2 } from './load-argon2.js'

/** The length of a password in Unicode code points (NIST SP 800-63B §3.1.1.2). */
const LENGTH = { min: 8, max: 256 } as const

// argon2id, the library's default, with the parameters of OWASP's password storage cheat sheet
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** `rate_limited` (429) for every caller: a burst of expensive work must not take all memory and threads. */
export const tooManyWait = (): Refusal => new Refusal('rate_limited', { headers: { 'Retry-After': '1' } })

/** Hashes passwords with argon2id (RFC 9106). Throws StartError if argon2 is not installed. */
export const createPasswords = async ({
  atOnce = 2,
  waiting = 32,
  argon2: given,
}: {
  /** hashes computed at the same time; each takes 19 MiB and a thread */
  readonly atOnce?: number
  /** how many more may wait; beyond that, `rate_limited` (429) */
  readonly waiting?: number
  /** for tests that count the work */
  readonly argon2?: Argon2
} = {}) => {
  const argon2 = given ?? (await loadArgon2())
  const bounded = createGate({ atOnce, waiting, refuse: tooManyWait })
  const dummyHash = await argon2.hash(randomBytes(32), PARAMETERS)
  return {
    /**
     * The hash to store (PHC string). Throws `validation_failed` (422) if the password is too short or too long, or has
     * a control character: the password field of a page takes no line break, so nobody could enter it there.
     */
    hash: async (password: string): Promise<string> => {
      const normal = normalize(password)
      if (normal === null) throw refused(`must have ${LENGTH.min} to ${LENGTH.max} characters`)
      if (!isOneLine(password)) throw refused('must be one line')
      return bounded(() => argon2.hash(normal, PARAMETERS))
    },

    /**
     * True if the password belongs to the hash. Without a hash (no such account, no password set) it does the same work
     * and returns false, so that its timing does not reveal which accounts exist.
     */
    verify: async (hash: string | null | undefined, password: string): Promise<boolean> => {
      // No account has such a password, so refusing it at once reveals nothing.
      const normal = normalize(password)
      if (normal === null) return false
      const matches = await bounded(() => argon2.verify(hash ?? dummyHash, normal).catch(() => false))
      return matches && hash !== null && hash !== undefined
    },
  }
}

const refused = (message: string): Refusal =>
  new Refusal('validation_failed', { errors: [{ field: 'password', message }] })

export type Passwords = Awaited<ReturnType<typeof createPasswords>>

/**
 * The password in one canonical form, however it was typed (NIST SP 800-63B: NFKC); null if its length is out of
 * bounds.
 */
const normalize = (password: string): string | null => {
  // bounds the work; a code point takes at most two units
  if (password.length > 2 * LENGTH.max) return null
  const length = [...password].length
  return length >= LENGTH.min && length <= LENGTH.max ? password.normalize('NFKC') : null
}
