import { hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { Context } from 'koa'
import koaJwt from 'koa-jwt'
import { LRUCache } from 'lru-cache'

import type { AccessToken } from '../../domain/access-token.js'
import { Refusal } from '../../domain/refusal.js'
import { StartError } from '../../domain/start-error.js'
import type { KeySource } from '../../identity/issuer.js'
import { headerLines } from '../../input/header-lines.js'
import { parseClaims, requireInTime } from './claims.js'
import type { ClaimRules, TimedToken } from './claims.js'
import { parseCompactToken } from './compact-token.js'

export interface TokenVerifierOptions extends Omit<
  ClaimRules,
  'clockSkewSeconds' | 'maxLifetimeSeconds' | 'ownSignIns'
> {
  readonly keys: KeySource
  /** default 30 */
  readonly clockSkewSeconds?: number
  /** default 86,400 */
  readonly maxLifetimeSeconds?: number
  /** default true: `sid` names a sign-in of this service */
  readonly ownSignIns?: boolean
  /** signature algorithms that are accepted; default ES256 */
  readonly algorithms?: readonly string[]
}

export interface TokenVerifier {
  /**
   * Verifies a signed token. Throws `issuer_unavailable` (503) where the issuer's keys could not be had, and the one
   * constant `invalid_token` (401) for everything else.
   */
  verify(ctx: Context, token: string): Promise<AccessToken>
}

export const CHALLENGE = 'Bearer realm="linkgate"'

// What koa-jwt's library verifies with a public key. A symmetric key would be public here.
const ASYMMETRIC = /^(?:ES|RS|PS)(?:256|384|512)$/

/** The one answer to every token that is not valid: it does not tell why. The cause is for our own log. */
export const invalidToken = (cause?: unknown): Refusal =>
  new Refusal('invalid_token', {
    headers: {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token", error_description="The access token is not valid"`,
    },
    cause,
  })

/**
 * The bearer token of a request (RFC 6750 §2.1); undefined where it has no Authorization header at all, and what it is
 * to be refused with where that header is not one bearer token. A token elsewhere (query, body, cookie) is not looked
 * for.
 */
export const bearerOf = (ctx: Context): string | Refusal | undefined => {
  if (ctx.req.headers.authorization === undefined) return undefined
  // Node keeps the first of two, and somebody in between may have read the second.
  const [authorization = '', ...others] = headerLines(ctx.req.rawHeaders, 'authorization')
  if (others.length > 0) return new Refusal('invalid_request', { detail: 'Send one Authorization header.' })
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
  return token ?? invalidToken(new Error('not the Bearer scheme'))
}

/**
 * Checks bearer tokens (RFC 6750) as RFC 7519, 8725 and 9068 demand: koa-jwt between our own checks of form and claims.
 */
export const createTokenVerifier = (options: TokenVerifierOptions): TokenVerifier => {
  const { keys, algorithms = ['ES256'], issuer, audience } = options
  const { clockSkewSeconds = 30, maxLifetimeSeconds = 86_400, ownSignIns = true } = options
  const rules: ClaimRules = { issuer, audience, clockSkewSeconds, maxLifetimeSeconds, ownSignIns }
  const signatures = new Map(algorithms.map((alg) => [alg, createSignatureCheck(alg, rules)]))
  const verified = new LRUCache<string, VerifiedToken>({ max: CACHED_TOKENS })

  const verify = async (ctx: Context, token: string): Promise<AccessToken> => {
    const digest = hash('sha256', token, 'base64')
    const cached = verified.get(digest)
    const { alg, kid, timed } = cached ?? parse(token, rules)
    const requireSignature = signatures.get(alg)
    if (requireSignature === undefined) throw new Error('alg')
    // Checked before the signature, so that a token whose own claims refuse it makes nobody ask for a key.
    requireInTime(timed, rules, Date.now() / 1_000)
    // Found before koa-jwt runs: it would turn an error of the key source (503) into a bad token (401).
    const key = await keys.find(kid, alg)
    if (key !== cached?.key) {
      await requireSignature(ctx, token, key)
      verified.set(digest, { alg, kid, timed, key })
    }
    return timed.token
  }

  return {
    verify: (ctx, token) =>
      verify(ctx, token).catch((error: unknown) => {
        const isOurFault = error instanceof Refusal && error.status >= 500
        throw isOurFault ? error : invalidToken(error)
      }),
  }
}

/** A parsed token whose claims are acceptable. */
interface ParsedToken {
  readonly alg: string
  readonly kid: string
  readonly timed: TimedToken
}

/**
 * A token whose signature was verified with this key. Cached under the token's hash, so that no bearer token outlives
 * its request here. Its times, its key and its user are checked every time.
 */
interface VerifiedToken extends ParsedToken {
  readonly key: KeyObject
}
const CACHED_TOKENS = 10_000

const parse = (token: string, rules: ClaimRules): ParsedToken => {
  const { header, claims } = parseCompactToken(token)
  return { ...header, timed: parseClaims(claims, rules) }
}

/** koa-jwt, pinned to one algorithm. It takes the token from `getToken` alone, and the key from `ctx.state.secret`. */
const createSignatureCheck = (alg: string, rules: ClaimRules) => {
  if (!ASYMMETRIC.test(alg)) throw new StartError(`JWT_ALGORITHMS: ${alg} is not supported`)
  const options = {
    algorithms: [alg],
    issuer: rules.issuer,
    audience: rules.audience,
    clockTolerance: rules.clockSkewSeconds,
    getToken: (ctx: Context) => String(ctx.state.bearer),
    key: 'jwt',
    secret: async (): Promise<string> => {
      throw new Error('the key comes with the token')
    },
  }
  const middleware = koaJwt(options)
  return async (ctx: Context, token: string, key: KeyObject): Promise<void> => {
    if (key.type !== 'public') throw new Error('not a public key')
    ctx.state.bearer = token
    ctx.state.secret = key
    let passed = false
    try {
      await middleware(ctx, async () => {
        passed = true
      })
    } finally {
      delete ctx.state.bearer
      delete ctx.state.secret
      delete ctx.state.jwt
    }
    if (!passed) throw new Error('koa-jwt did not pass the token on')
  }
}
