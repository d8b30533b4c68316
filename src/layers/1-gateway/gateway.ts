import { createHash } from 'node:crypto'

import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'

import type { AccessToken } from '../../domain/access-token.js'
import { Refusal } from '../../domain/refusal.js'
import type { Identity, TokenSubject } from '../../identity/identity.js'
import { PERSONAL_TOKEN_PREFIX } from '../../identity/opaque-token.js'
import { headerOf, isForwarded } from '../../input/header-lines.js'
import type { Admitted, Caller, Gateway, GatewayRule } from '../route.js'
import { addressBucket, clientAddress, isFromThisMachine } from './address.js'
import { requireOwnPage } from './own-pages.js'
import type { RateLimiter } from './rate-limit.js'
import { requireScope } from './scope.js'
import { CHALLENGE, bearerOf, invalidToken } from './token.js'
import type { TokenVerifier } from './token.js'

export interface GatewayParts {
  readonly limiter: RateLimiter
  /** verifies signed tokens (JWT) */
  readonly tokens: TokenVerifier
  readonly identity: Pick<Identity, 'findCaller' | 'externalSubject' | 'findPersonalToken'>
  readonly trustedProxyHops: number
}

/** How many personal tokens' owners are cached, so that a request is counted before its token is looked up. */
const KNOWN_TOKENS = 10_000

/**
 * The first layer: is the rate limit respected, is the token valid, does it have the scope? Refuses with 429, 401, 403.
 * Each request is counted before anything is looked up (promise 8). With a valid token it counts against the verified
 * subject, so a forged token cannot choose a bucket. Everything else, including an invalid token, counts against the
 * address.
 */
export const createGateway = ({ limiter, tokens, identity, trustedProxyHops }: GatewayParts): Gateway => {
  const subjectOf = new LRUCache<string, string>({ max: KNOWN_TOKENS })

  const countAddress = (ctx: Context, { quota }: GatewayRule, address: string): Promise<void> | undefined => {
    if (quota === 'redirect') return limiter.requireForRedirect(ctx, 'anonymous', addressBucket(address))
    return quota === 'file' || (quota === 'probe' && isFromThisMachine(senderOf(ctx)))
      ? undefined
      : limiter.require(ctx, addressQuota(quota), addressBucket(address))
  }
  const countSubject = async (ctx: Context, rule: GatewayRule, address: string, subject: string): Promise<void> => {
    if (rule.quota === 'sign_in') return await countAddress(ctx, rule, address)
    await limiter.require(ctx, 'user', subject)
    if (rule.quota === 'invite') await limiter.require(ctx, 'invite', subject)
  }

  /** Counts a request with an unverified token against the address, even if the route counts no anonymous requests. */
  const countUnverified = (ctx: Context, { quota }: GatewayRule, address: string): Promise<void> =>
    limiter.require(ctx, addressQuota(quota), addressBucket(address))

  const admitSigned = async (ctx: Context, rule: GatewayRule, address: string, value: string): Promise<AccessToken> => {
    const token = await tokens.verify(ctx, value).catch(async (error: unknown) => {
      await countUnverified(ctx, rule, address)
      throw error
    })
    await countSubject(ctx, rule, address, bucketOf(token))
    return token
  }

  /**
   * A personal token does not name its owner. Until this process has seen the token valid, the request first counts
   * against the address. Once the token is found, that count is refunded and the owner is charged instead.
   */
  const admitPersonal = async (
    ctx: Context,
    rule: GatewayRule,
    address: string,
    value: string,
  ): Promise<AccessToken> => {
    const digest = createHash('sha256').update(value).digest('base64')
    const known = subjectOf.get(digest)
    if (known === undefined) await countUnverified(ctx, rule, address)
    else await countSubject(ctx, rule, address, known)

    const token = await identity.findPersonalToken(value)
    if (token === null) {
      subjectOf.delete(digest)
      if (known !== undefined) await countUnverified(ctx, rule, address)
      throw invalidToken(new Error('no such personal token'))
    }
    if (known === undefined) {
      await limiter.refund(ctx, addressQuota(rule.quota), addressBucket(address))
      await countSubject(ctx, rule, address, bucketOf(token))
      subjectOf.set(digest, bucketOf(token))
    }
    return token
  }

  const admitCaller = async (ctx: Context, rule: GatewayRule): Promise<Admitted> => {
    const address = clientAddress(
      { remoteAddress: ctx.req.socket.remoteAddress, forwardedFor: headerOf(ctx, 'x-forwarded-for') },
      trustedProxyHops,
    )
    ctx.state.address = address
    const sent = bearerOf(ctx)
    if (sent === undefined) {
      await countAddress(ctx, rule, address)
      if (rule.scope !== 'public') throw new Refusal('token_required', { headers: { 'WWW-Authenticate': CHALLENGE } })
      return { address, token: null }
    }
    if (sent instanceof Refusal) {
      await countUnverified(ctx, rule, address)
      throw sent
    }
    const admit = sent.startsWith(PERSONAL_TOKEN_PREFIX) ? admitPersonal : admitSigned
    return { address, token: await admit(ctx, rule, address, sent) }
  }

  return {
    admit: async (ctx, rule) => {
      const admitted = await admitCaller(ctx, rule)
      if (rule.from !== undefined) requireOwnPage(ctx, rule.from)
      return admitted
    },

    identify: ({ address, token }, rule, onKnown) => {
      if (token === null) return anonymousAt(address)
      // Role and suspension come from the user's row, so a change applies to the next request whatever the token says.
      return identity.findCaller(token).then((user) => {
        const { scopes, id: tokenId, signIn, personalToken } = token
        const external = identity.externalSubject(token)
        const caller = { user, scopes, tokenId, signIn, personalToken, external, address }
        onKnown?.(caller)
        if (user === null || user.suspended) throw invalidToken()
        if (rule.scope !== 'public' && rule.scope !== 'items') requireScope(token, rule.scope)
        if (personalToken !== null && rule.personalTokenScope !== undefined)
          requireScope(token, rule.personalTokenScope)
        return caller
      })
    },

    requireScope,
    countMore: async (ctx, { address, token }, times) => {
      for (let i = 0; i < times; i += 1) {
        if (token === null) await limiter.require(ctx, 'anonymous', addressBucket(address))
        else await limiter.require(ctx, 'user', bucketOf(token))
      }
    },
    countAccount: async (ctx, account) => limiter.require(ctx, 'sign_in', accountBucket(account)),
    countLinkPassword: async (ctx, link) => {
      await limiter.require(ctx, 'link_password', `${link} ${addressBucket(ctx.state.address ?? '')}`)
      await limiter.require(ctx, 'link_passwords', link)
    },
  }
}

const senderOf = (ctx: Context) => ({
  remoteAddress: ctx.req.socket.remoteAddress,
  forwarded: isForwarded(ctx),
})

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

const bucketOf = ({ issuer, subject }: TokenSubject): string => `${issuer} ${subject}`

/** One bucket per account, whatever the case of its address. Hashed, so the counters do not reveal the address. */
const accountBucket = (account: string): string =>
  `account:${createHash('sha256').update(account.toLowerCase()).digest('base64url')}`
