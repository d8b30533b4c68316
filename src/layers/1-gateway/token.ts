import { hash, type KeyObject } from 'node:crypto'

import type { Context } from 'koa'
import koaJwt from 'koa-jwt'
import { LRUCache } from 'lru-cache'

import type { AccessToken } from '../../domain/access-token.js'
import { Refusal } from '../../domain/refusal.js'
import { StartError } from '../../domain/start-error.js'
import type { KeySource } from '../../identity/issuer.js'
import { headerLines } from '../../input/header-lines.js'
import { CLOCK_SKEW_SECONDS, parseClaims, requireInTime, type ClaimRules, type TimedToken } from './claims.js'
import { parseCompactToken } from './compact-token.js'

interface TokenVerifierOptions extends ClaimRules {
  readonly keys: KeySource
  /** accepted signature algorithms */
  readonly algorithms: readonly string[]
}

export interface TokenVerifier {
  /**
   * Verifies a signed token. Throws `issuer_unavailable` (503) if the issuer's keys cannot be fetched, and for
   * everything else the same `invalid_token` (401). `beforeFetch`: awaited before a key is fetched for the token; its
   * `rate_limited` (429) is thrown.
   */
  verify(ctx: Context, token: string, beforeFetch?: () => Promise<void>): Promise<AccessToken>
}

export const CHALLENGE = 'Bearer realm="linkgate"'

// The algorithms that koa-jwt's library verifies with a public key. With HMAC, that public key would be the secret.
const ASYMMETRIC = /^(?:ES|RS|PS)(?:256|384|512)$/

/** The same answer to every invalid token. It does not say why; the cause is for our own log. */
export const invalidToken = (cause?: unknown): Refusal =>
  new Refusal('invalid_token', {
    headers: {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token", error_description="The access token is not valid"`,
    },
    cause,
  })

/**
 * The bearer token of a request (RFC 6750 §2.1). Undefined without an Authorization header; a Refusal if the header is
 * not exactly one bearer token. Tokens elsewhere (query, body, cookie) are ignored.
 */
export const bearerOf = (ctx: Context): string | Refusal | undefined => {
  if (ctx.req.headers.authorization === undefined) return undefined
  // Of two headers Node keeps the first, but a proxy in between may have read the second.
  const [authorization = '', ...others] = headerLines(ctx.req.rawHeaders, 'authorization')
  if (others.length > 0) return new Refusal('invalid_request', { detail: 'Send one Authorization header.' })
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
  return token ?? invalidToken(new Error('not one token of RFC 6750'))
}

/**
 * Verifies bearer tokens (RFC 6750) as RFC 7519, 8725 and 9068 demand: we check form and claims, koa-jwt the signature.
 */
export const createTokenVerifier = ({ keys, algorithms, ...rules }: TokenVerifierOptions): TokenVerifier => {
  const signatures = new Map(algorithms.map((alg) => [alg, createSignatureCheck(alg, rules)]))
  const verified = new LRUCache<string, VerifiedToken>({ max: CACHED_TOKENS })

  const verify: TokenVerifier['verify'] = async (ctx, token, beforeFetch) => {
    const digest = hash('sha256', token, 'base64')
    const cached = verified.get(digest)
    const { alg, kid, timed } = cached ?? parse(token, rules)
    const requireSignature = signatures.get(alg)
    if (requireSignature === undefined) throw new Error('alg')
    // Checked before the signature, so that no key is fetched for an expired token.
    requireInTime(timed, Date.now() / 1_000)
    // Fetched before koa-jwt runs: it would turn an error of the key source (503) into an invalid token (401).
    const key = await keys.find(kid, alg, beforeFetch)
    if (key !== cached?.key) {
      await requireSignature(ctx, token, key)
      verified.set(digest, { alg, kid, timed, key })
    }
    return timed.token
  }

  return {
    verify: (...request) =>
      verify(...request).catch((error: unknown) => {
        const isAboutToken = !(error instanceof Refusal) || (error.status < 500 && error.code !== 'rate_limited')
        throw isAboutToken ? invalidToken(error) : error
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
 * A token whose signature was verified with this key. Cached under the token's hash, so no bearer token stays in memory
 * after its request. Its times, key and user are still checked on every request.
 */
interface VerifiedToken extends ParsedToken {
  readonly key: KeyObject
}
const CACHED_TOKENS = 10_000

const parse = (token: string, rules: ClaimRules): ParsedToken => {
  const { header, claims } = parseCompactToken(token)
  return { ...header, timed: parseClaims(claims, rules) }
}

/** koa-jwt, pinned to one algorithm. It gets the token only from `getToken`, and the key from `ctx.state.secret`. */
const createSignatureCheck = (alg: string, rules: ClaimRules) => {
  if (!ASYMMETRIC.test(alg)) throw new StartError(`JWT_ALGORITHMS: ${alg} is not supported`)
  const options = {
    algorithms: [alg],
    issuer: rules.issuer,
    audience: rules.audience,
    clockTolerance: CLOCK_SKEW_SECONDS,
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
