import type { AccessToken } from '../../domain/access-token.js'
import { MAX_TTL_SECONDS } from '../../identity/issuer.js'
import { parseScope } from './scope.js'

/** How far the issuer's clock may be ahead of ours, in seconds; applies to `nbf` and `iat`, never to `exp`. */
export const CLOCK_SKEW_SECONDS = 30

export interface ClaimRules {
  readonly issuer: string
  readonly audience: string
  /** true if `sid` names a sign-in of this service; `sid` of another issuer is ignored */
  readonly ownSignIns: boolean
}

/** A token and the times of its validity, in seconds since 1970. */
export interface TimedToken {
  readonly token: AccessToken
  readonly issuedAt: number
  readonly notBefore: number
  readonly expiresAt: number
}

/**
 * Narrows the claims of a token (RFC 7519, 8725 and 9068). `iss`, `aud`, `sub`, `iat`, `exp` and `jti` are required;
 * times are whole seconds; no `scope` means no rights. `requireInTime` compares the times with the clock. Throws an
 * Error that names the wrong claim.
 */
export const parseClaims = (claims: Readonly<Record<string, unknown>>, rules: ClaimRules): TimedToken => {
  const { iss, aud, sub, exp, iat, nbf, jti, sid, scope = '' } = claims
  if (iss !== rules.issuer) throw new Error('iss')
  if (!audiences(aud).includes(rules.audience)) throw new Error('aud')
  if (!isText(sub)) throw new Error('sub')
  if (!isText(jti)) throw new Error('jti')
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf)))
    throw new Error('exp, iat or nbf is not whole seconds')
  if (exp <= iat || exp - iat > MAX_TTL_SECONDS) throw new Error('exp is too far from iat')
  if (rules.ownSignIns && sid !== undefined && !(isText(sid) && UUID.test(sid))) throw new Error('sid')
  const scopes = typeof scope === 'string' ? parseScope(scope) : null
  if (scopes === null) throw new Error('scope')
  const token = {
    subject: sub,
    issuer: iss,
    scopes,
    id: jti,
    signIn: rules.ownSignIns && isText(sid) ? sid : null,
    personalToken: null,
  }
  return { token, issuedAt: iat, notBefore: nbf ?? iat, expiresAt: exp }
}

/**
 * Throws an Error if the token is not valid yet or has expired; it expires at the very second of `exp`. `now` is in
 * seconds since 1970.
 */
export const requireInTime = ({ issuedAt, notBefore, expiresAt }: TimedToken, now: number): void => {
  if (expiresAt <= now) throw new Error('exp has passed')
  if (issuedAt > now + CLOCK_SKEW_SECONDS) throw new Error('iat is in the future')
  if (notBefore > now + CLOCK_SKEW_SECONDS) throw new Error('nbf is in the future')
}

/** RFC 7519 §4.1.3: a string, or an array of strings only. */
const audiences = (aud: unknown): readonly unknown[] => {
  if (typeof aud === 'string') return [aud]
  return Array.isArray(aud) && aud.every((each) => typeof each === 'string') ? aud : []
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

// no control characters and no lone surrogates: the database would reject them, or could not tell them apart
const TEXT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

const isText = (value: unknown): value is string => typeof value === 'string' && TEXT.test(value)

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
