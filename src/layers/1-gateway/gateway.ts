import { createHash } from 'node:crypto'

import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'

import type { AccessToken } from '../../domain/access-token.js'
import { Refusal } from '../../domain/refusal.js'
import type { Identity, TokenSubject } from '../../identity/identity.js'
import { PERSONAL_TOKEN_PREFIX } from '../../identity/opaque-token.js'
import { headerOf, isForwarded } from '../../input/header-lines.js'
import type { Admitted, Caller, UserQuota } from '../caller.js'
import type { Gateway } from '../layers.js'
import type { GatewayRule } from '../rules.js'
import { addressBucket, clientAddress, isLoopback } from './address.js'
import type { RateLimiter } from './rate-limit.js'
import { requireScope } from './scope.js'
import { CHALLENGE, bearerOf, invalidToken, type TokenVerifier } from './token.js'

interface GatewayParts {
  readonly limiter: RateLimiter
  /** verifies signed tokens (JWT) */
  readonly tokens: TokenVerifier
  readonly identity: Pick<Identity, 'findCaller' | 'externalSubject' | 'findPersonalToken'>
  readonly trustedProxyHops: number
}

/** How many tokens the gateway keeps in mind, so that a request is counted before its token is looked up. */
const KNOWN_TOKENS = 10_000

/**
 * The first layer: is the rate limit respected, is the token valid, does it have the scope? Refuses with 429, 401, 403.
 * Each request is counted before anything is looked up (promise 8). With a valid token it counts against the verified
 * subject, so a forged token cannot choose a bucket. Everything else, including an invalid token, counts against the
 * address.
 */
export const createGateway = ({ limiter, tokens, identity, trustedProxyHops }: GatewayParts): Gateway => {
  /** personal tokens by their hash: a personal token does not name its user */
  const seen = new LRUCache<string, AccessToken>({ max: KNOWN_TOKENS })
  /** tokens whose user, sign-in or row was gone at the last look-up: they count against the address */
  const ended = new LRUCache<string, true>({ max: KNOWN_TOKENS })

  const countAddress = (ctx: Context, { quota }: GatewayRule, address: string): Promise<void> =>
    limiter.require(ctx, addressQuota(quota), addressBucket(address))

  const refundAddress = (ctx: Context, { quota }: GatewayRule, address: string): Promise<void> =>
    limiter.refund(ctx, addressQuota(quota), addressBucket(address))

  /** Counts a request without a token, unless its route does not count these. */
  const countAnonymous = (ctx: Context, rule: GatewayRule, address: string): Promise<void> | undefined => {
    const { quota } = rule
    if (quota === 'redirect') return limiter.requireForRedirect(ctx, 'anonymous', addressBucket(address))
    const isFree = quota === 'file' || (quota === 'probe' && isFromThisMachine(ctx))
    return isFree ? undefined : countAddress(ctx, rule, address)
  }

  /** Counts a request with a verified token; resolves with the quotas of its user that it counted against. */
  const countVerified = async (
    ctx: Context,
    rule: GatewayRule,
    address: string,
    token: AccessToken,
  ): Promise<Admitted> => {
    const quotas = ended.has(keyOf(token)) ? NO_QUOTAS : userQuotas(rule, token)
    if (quotas.length === 0) await countAddress(ctx, rule, address)
    for (const { name, bucket } of quotas) await limiter.require(ctx, name, bucket)
    return { address, token, quotas }
  }

  /** Moves the count of a request from its user to the address: the token is over, although its signature is valid. */
  const countEnded = async (ctx: Context, rule: GatewayRule, admitted: Admitted, token: AccessToken) => {
    ended.set(keyOf(token), true)
    for (const { name, bucket } of admitted.quotas) await limiter.refund(ctx, name, bucket)
    if (admitted.quotas.length > 0) await countAddress(ctx, rule, admitted.address)
  }

  /** If a key must be fetched for the token, it counts against the address until it is verified. */
  const admitSigned = async (ctx: Context, rule: GatewayRule, address: string, value: string): Promise<Admitted> => {
    let isCounted = false
    const count = (): Promise<void> => {
      isCounted = true
      return countAddress(ctx, rule, address)
    }
    const token = await tokens.verify(ctx, value, count).catch(async (error: unknown) => {
      if (!isCounted) await count()
      throw error
    })
    if (isCounted) await refundAddress(ctx, rule, address)
    return countVerified(ctx, rule, address, token)
  }

  /**
   * Until this process has seen a personal token valid, a request first counts against the address. Once the token is
   * found, that count is refunded and its user is charged instead.
   */
  const admitPersonal = async (ctx: Context, rule: GatewayRule, address: string, value: string): Promise<Admitted> => {
    const digest = createHash('sha256').update(value).digest('base64')
    const known = seen.get(digest)
    const admitted = known && (await countVerified(ctx, rule, address, known))
    if (known === undefined) await countAddress(ctx, rule, address)

    const token = await identity.findPersonalToken(value)
    if (token === null) {
      seen.delete(digest)
      if (known !== undefined && admitted !== undefined) await countEnded(ctx, rule, admitted, known)
      throw invalidToken(new Error('no such personal token'))
    }
    if (admitted !== undefined) return { ...admitted, token }
    seen.set(digest, token)
    await refundAddress(ctx, rule, address)
    return countVerified(ctx, rule, address, token)
  }

  const admitCaller = async (ctx: Context, rule: GatewayRule): Promise<Admitted> => {
    const address = clientAddress(
      { remoteAddress: ctx.req.socket.remoteAddress, forwardedFor: headerOf(ctx, 'x-forwarded-for') },
      trustedProxyHops,
    )
    ctx.state.address = address
    const sent = bearerOf(ctx)
    if (sent === undefined) {
      await countAnonymous(ctx, rule, address)
      if (rule.scope !== 'public') throw new Refusal('token_required', { headers: { 'WWW-Authenticate': CHALLENGE } })
      return { address, token: null, quotas: NO_QUOTAS }
    }
    if (sent instanceof Refusal) {
      await countAddress(ctx, rule, address)
      throw sent
    }
    const admit = sent.startsWith(PERSONAL_TOKEN_PREFIX) ? admitPersonal : admitSigned
    return admit(ctx, rule, address, sent)
  }

  return {
    admit: async (ctx, rule) => {
      const admitted = await admitCaller(ctx, rule)
      if (rule.from !== undefined) requireOwnPage(ctx, rule.from)
      return admitted
    },

    identify: (ctx, admitted, rule, onKnown) => {
      const { address, token } = admitted
      if (token === null) return anonymousAt(address)
      // Role and suspension come from the user's row, so a change applies to the next request whatever the token says.
      return identity.findCaller(token).then(async (user) => {
        const { scopes, id: tokenId, signIn, personalToken } = token
        const external = identity.externalSubject(token)
        const caller = { user, scopes, tokenId, signIn, personalToken, external, address }
        onKnown?.(caller)
        if (user === null || user.suspended) {
          await countEnded(ctx, rule, admitted, token)
          throw invalidToken(new Error(user === null ? 'no such user or sign-in' : 'the user is suspended'))
        }
        ended.delete(keyOf(token))
        if (rule.scope !== 'public' && rule.scope !== 'items') requireScope(token, rule.scope)
        if (personalToken !== null && rule.personalTokenScope !== undefined)
          requireScope(token, rule.personalTokenScope)
        return caller
      })
    },

    requireScope,
    countMore: async (ctx, { address, quotas }, times) => {
      if (quotas.length === 0) await limiter.requireMore(ctx, 'anonymous', addressBucket(address), times)
      for (const { name, bucket } of quotas) await limiter.requireMore(ctx, name, bucket, times)
    },
    countAccount: async (ctx, account) => limiter.require(ctx, 'sign_in', accountBucket(account)),
    countLinkPassword: async (ctx, link) => {
      await limiter.require(ctx, 'link_password', `${link} ${addressBucket(ctx.state.address ?? '')}`)
      await limiter.require(ctx, 'link_passwords', link)
    },
  }
}

/**
 * Refuses (403 `cross_site`) a request that does not come from a page of this origin: browsers send the cookie with
 * requests from other pages, too. Browsers declare the source (Fetch Metadata), older ones at least the origin (RFC
 * 6454 §7).
 */
const requireOwnPage = (ctx: Context, origin: string): void => {
  const site = headerOf(ctx, 'sec-fetch-site')
  const isOwn = site === undefined ? headerOf(ctx, 'origin') === origin : site === 'same-origin'
  if (!isOwn) throw new Refusal('cross_site', { detail: `Only pages of ${origin} may send this.` })
}

/** Whether this machine itself sent the request, and not on behalf of a client (a local proxy). */
const isFromThisMachine = (ctx: Context): boolean => !isForwarded(ctx) && isLoopback(ctx.req.socket.remoteAddress ?? '')

const NO_SCOPES: ReadonlySet<string> = new Set()

/** Written out because every redirect has this caller: in V8, copying an object by spread is several times slower. */
const anonymousAt = (address: string): Caller => ({
  user: null,
  scopes: NO_SCOPES,
  tokenId: null,
  signIn: null,
  personalToken: null,
  external: null,
  address,
})

const addressQuota = (quota: GatewayRule['quota']) => (quota === 'sign_in' ? 'sign_in' : 'anonymous')

const NO_QUOTAS: readonly UserQuota[] = []

/** The quotas of its user that a request counts against; a sign-in counts against the address only. */
const userQuotas = ({ quota }: GatewayRule, { issuer, subject }: TokenSubject): readonly UserQuota[] => {
  if (quota === 'sign_in') return NO_QUOTAS
  const bucket = `${issuer} ${subject}`
  const user = { name: 'user', bucket } as const
  return quota === 'invite' ? [user, { name: 'invite', bucket }] : [user]
}

const keyOf = ({ issuer, id }: AccessToken): string => `${issuer} ${id}`

/** One bucket per account, whatever the case of its address. Hashed, so the counters do not reveal the address. */
const accountBucket = (account: string): string =>
  `account:${createHash('sha256').update(account.toLowerCase()).digest('base64url')}`
