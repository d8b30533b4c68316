import type { Context } from 'koa'

import type { User } from '../../domain/user.js'
import type { Callers } from '../../identity/callers.js'
import type { Caller, GatewayRule } from '../route.js'
import { addressBucket, clientAddress } from './address.js'
import type { RateLimiter } from './rate-limit.js'
import { requireScope } from './scope.js'
import { invalidToken, requireToken } from './token.js'
import type { TokenVerifier } from './token.js'

export interface GatewayParts {
  readonly limiter: RateLimiter
  readonly tokens: TokenVerifier
  readonly callers: Callers
  readonly trustedProxyHops: number
}

/**
 * The first layer: is the rate limit respected, is the token valid, does it have the scope? Refuses with 429, 401, 403.
 * A token that is sent and not valid is 401 everywhere, public routes too, and counts against the address; a valid one
 * counts against its verified subject, so that no claim of a forged token chooses a bucket. With `presuming` the user
 * may be as they were the last time somebody asked; `renew` then asks.
 */
export const createGateway =
  ({ limiter, tokens, callers, trustedProxyHops }: GatewayParts) =>
  async (
    ctx: Context,
    rule: GatewayRule,
    { presuming = false }: { readonly presuming?: boolean } = {},
  ): Promise<Caller> => {
    const address = clientAddress(
      { remoteAddress: ctx.req.socket.remoteAddress, forwardedFor: ctx.get('X-Forwarded-For') || undefined },
      trustedProxyHops,
    )
    ctx.state.address = address
    const countAddress = async () => {
      if (rule.quota !== 'none')
        await limiter.require(ctx, rule.quota === 'sign_in' ? 'sign_in' : 'anonymous', addressBucket(address))
    }
    const anonymous: Caller = { user: null, scopes: new Set(), tokenId: null, signIn: null, address }

    const token = await tokens.verify(ctx).catch(async (error: unknown) => {
      await countAddress()
      throw error
    })
    if (token === null) {
      await countAddress()
      if (rule.scope !== 'public') requireToken()
      return anonymous
    }
    if (rule.quota === 'sign_in') await countAddress()
    else if (rule.quota !== 'none') await limiter.require(ctx, 'user', `${token.issuer} ${token.subject}`)
    if (rule.quota === 'invite') await limiter.require(ctx, 'invite', `${token.issuer} ${token.subject}`)
    const admit = (user: User | null, remembered: boolean): Caller => {
      // Role and suspension come from the user's row, so they bind the next request whatever the token says.
      if (user === null || user.suspended) throw invalidToken()
      if (rule.scope !== 'public') requireScope(token, rule.scope)
      const external = callers.isExternal(token) ? { issuer: token.issuer, subject: token.subject } : null
      return {
        user,
        scopes: token.scopes,
        tokenId: token.id,
        signIn: token.signIn,
        external,
        address,
        remembered,
        renew: async () => admit(await callers.find(token), false),
      }
    }
    // no refusal rests on what is remembered: who lacks the scope may be nobody any more
    const known =
      presuming && (rule.scope === 'public' || token.scopes.has(rule.scope)) ? callers.recall(token) : undefined
    return known === undefined ? admit(await callers.find(token), false) : admit(known, true)
  }
