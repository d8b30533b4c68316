import { hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { Context } from 'koa'
import koaJwt from 'koa-jwt'
import { LRUCache } from 'lru-cache'

import { Refusal } from '../../domain/refusal.js'
import { StartError } from '../../domain/start-error.js'
import type { KeySource } from '../../identity/key-source.js'
import { headerLines } from '../../input/header-lines.js'
import { aside } from './aside.js'
import { parseClaims, requireInTime } from './claims.js'
import type { AccessToken, ClaimRules, TimedToken } from './claims.js'
import { parseCompactToken } from './compact-token.js'

export type { AccessToken } from './claims.js'
export type { KeySource } from '../../identity/key-source.js'

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
  /** tokens that are no JWT: known by how they begin, looked up by their value; null for one that is not valid */
  readonly opaque?: { readonly prefix: string; readonly find: (token: string) => Promise<AccessToken | null> }
}

export interface TokenVerifier {
  /**
   * The verified token of a request; null only where it has no Authorization header at all. Looks nowhere else: not in
   * the query, the body or a cookie. Throws `invalid_request` (400) for two such headers, `issuer_unavailable` (503)
   * where the issuer's keys could not be had, and the one constant `invalid_token` (401) for everything else.
   */
  verify(ctx: Context): Promise<AccessToken | null>
}

const CHALLENGE = 'Bearer realm="linkgate"'
// What koa-jwt's library verifies with a public key. Symmetric ones are out: their key would be public here.
const ASYMMETRIC = /^(?:ES|RS|PS)(?:256|384|512)$/

/** The one answer to every token that is not valid: it tells nothing of why. The cause is for our own log. */
export const invalidToken = (cause?: unknown): Refusal =>
  new Refusal('invalid_token', {
    headers: {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token", error_description="The access token is not valid"`,
    },
    cause,
  })

/** Refuses (401 `token_required`, RFC 6750 §3) a caller who sent no token to a route that needs one. */
export const requireToken = (): never => {
  throw new Refusal('token_required', { headers: { 'WWW-Authenticate': CHALLENGE } })
}

/**
 * Checks bearer tokens (RFC 6750) as RFC 7519, 8725 and 9068 demand: koa-jwt between our own checks of form and claims.
 */
export const createTokenVerifier = (options: TokenVerifierOptions): TokenVerifier => {
  const {
    keys,
    opaque,
    algorithms = ['ES256'],
    clockSkewSeconds = 30,
    maxLifetimeSeconds = 86_400,
    ownSignIns = true,
    issuer,
    audience,
  } = options
  const rules: ClaimRules = { issuer, audience, clockSkewSeconds, maxLifetimeSeconds, ownSignIns }
  const signatures = new Map(algorithms.map((alg) => [alg, createSignatureCheck(alg, keys, rules)]))
  const remembered = new LRUCache<string, VerifiedToken>({ max: REMEMBERED_TOKENS })

  const read = (token: string): ReadToken => {
    const {
      header: { alg, kid },
      claims,
    } = parseCompactToken(token)
    return { alg, kid, timed: parseClaims(claims, rules) }
  }

  const verified = async (ctx: Context, authorization: string): Promise<AccessToken> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
    if (token === undefined) throw new Error('not the Bearer scheme')
    if (opaque !== undefined && token.startsWith(opaque.prefix)) {
      const found = await opaque.find(token)
      if (found === null) throw new Error('no such token')
      return found
    }
    const digest = hash('sha256', token, 'base64')
    const known = remembered.get(digest)
    const { alg, kid, timed } = known ?? read(token)
    const requireSignature = signatures.get(alg)
    if (requireSignature === undefined) throw new Error('alg')
    // Read before the signature, believed after it: what its own claims refuse makes nobody ask for a key.
    requireInTime(timed, rules, Date.now() / 1_000)
    const key = await requireSignature(ctx, kid, token, known?.key)
    if (known?.key !== key) remembered.set(digest, { alg, kid, timed, key })
    return timed.token
  }

  return {
    verify: async (ctx) => {
      const [authorization, ...others] = headerLines(ctx.req.rawHeaders, 'authorization')
      if (authorization === undefined) return null
      if (others.length > 0) throw new Refusal('invalid_request', { detail: 'Send one Authorization header.' })
      return verified(ctx, authorization).catch((error: unknown) => {
        throw isOurFault(error) ? error : invalidToken(error)
      })
    },
  }
}

/** What a token says, with claims that will do. */
interface ReadToken {
  readonly alg: string
  readonly kid: string
  readonly timed: TimedToken
}

/**
 * A token whose signature is known to be right with that key. It is known by its hash, so that no bearer token outlives
 * its request here. What it says does not change; its times, its key and its user are looked at every time.
 */
interface VerifiedToken extends ReadToken {
  readonly key: KeyObject
}
const REMEMBERED_TOKENS = 10_000

/**
 * koa-jwt, pinned to one algorithm. It runs on a request shown aside: it finds the token only through `getToken`, the
 * key only on a state of its own, and leaves nothing there.
 */
const createSignatureCheck = (alg: string, keys: KeySource, rules: ClaimRules) => {
  if (!ASYMMETRIC.test(alg)) throw new StartError(`JWT_ALGORITHMS: ${alg} is not supported`)
  const options = {
    algorithms: [alg],
    issuer: rules.issuer,
    audience: rules.audience,
    clockTolerance: rules.clockSkewSeconds,
    getToken: (ctx: Context) => String(ctx.state.token),
    secret: async (): Promise<string> => {
      throw new Error('the key comes with the token')
    },
  }
  const middleware = koaJwt(options)
  /** Answers the key that the signature is right with. `before` is the one that it was right with then. */
  return async (ctx: Context, kid: string, token: string, before: KeyObject | undefined): Promise<KeyObject> => {
    // Found before koa-jwt runs: it would turn an error of the key source (503) into a bad token (401). Handed over on
    // the state, it stays the key object that it is; as text it would be parsed again for every request.
    const secret = await keys.find(kid, alg)
    if (secret.type !== 'public') throw new Error('not a public key')
    if (secret === before) return secret
    let passed = false
    await middleware(aside(ctx, { token, secret }).view, async () => {
      passed = true
    })
    if (!passed) throw new Error('koa-jwt did not pass the token on')
    return secret
  }
}

/** A key source that is away says nothing about the token. */
const isOurFault = (error: unknown): boolean => error instanceof Refusal && error.status >= 500
