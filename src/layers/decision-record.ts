import type { Context } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import { Refusal } from '../domain/refusal.js'
import { isOpaqueToken } from '../identity/opaque-token.js'
import { PERSONAL_TOKEN_PREFIX } from '../identity/opaque-token.js'
import type { Caller } from './route.js'

/** What is known of a request when it is over. */
export interface Decided {
  readonly ctx: Context
  /** the action that the route is about */
  readonly action: string
  /** null where the gateway refused before it knew */
  readonly caller: Caller | null
  readonly decision: Decision | null
}

/** The record of a request that was let through. */
export const recordOfAnswer = (decided: Decided, status: number): DecisionRecord =>
  recordOf(decided, decided.decision, { effect: 'allow', layer: 'object', status })

/**
 * The record of a refusal by a layer; null where the layers refused nothing (a missing record, a
 * fault of the input, a limit), or where the route is about no action (signing in). */
export const recordOfRefusal = (decided: Decided, error: unknown): DecisionRecord | null =>
  error instanceof Refusal && (error.status === 401 || error.status === 403) && decided.action.includes(':')
    ? recordOf(decided, error.decision ?? null, {
        effect: 'deny',
        layer: error.layer,
        status: error.status,
        code: error.code,
      })
    : null

const recordOf = (
  { ctx, action, caller }: Decided,
  decision: Decision | null,
  {
    effect,
    layer,
    status,
    code,
  }: { readonly effect: 'allow' | 'deny'; readonly layer: string; readonly status: number; readonly code?: string },
): DecisionRecord => ({
  time: new Date().toISOString(),
  request_id: ctx.state.requestId,
  revision: decision?.revision ?? ctx.state.revision ?? 0,
  layer,
  subject_id: caller?.user?.id ?? null,
  subject_role: caller?.user?.role ?? 'anonymous',
  token_id: caller?.tokenId ?? null,
  network: caller?.user ? null : networkOf(ctx.state.address ?? ctx.req.socket.remoteAddress ?? ''),
  action,
  resource_type: action.slice(0, action.indexOf(':')),
  resource_code: nameIn(ctx.params, decision !== null),
  relation: decision?.relation ?? 'other',
  effect,
  rule: decision?.rule ?? code ?? 'default',
  row_priority: decision?.row?.priority ?? null,
  status,
})

/**
 * Codes and ids. What else a caller puts into a path names no record, and may be text that the log cannot hold
 * (U+0000).
 */
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/**
 * What the path calls the record. Before one was found under that name it may be a token that somebody put there: what
 * has a token's form is then left out.
 */
const nameIn = (params: unknown, found: boolean): string | null => {
  if (typeof params !== 'object' || params === null) return null
  const name: unknown = 'code' in params ? params.code : 'id' in params ? params.id : undefined
  return typeof name === 'string' &&
    NAME.test(name) &&
    (found || !(isOpaqueToken(name) || isOpaqueToken(name, PERSONAL_TOKEN_PREFIX)))
    ? name
    : null
}

/** An address without the part that tells one household from the next: IPv4 to its /24, IPv6 to its /48. */
export const networkOf = (address: string): string => {
  const [, a, b, c] = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}$/i.exec(address) ?? []
  if (a !== undefined) return `${a}.${b}.${c}.0/24`
  const [head = ''] = address.split('::')
  const groups = head
    .split(':')
    .filter((group) => group !== '')
    .slice(0, 3)
  return `${groups.join(':')}::/48`
}
