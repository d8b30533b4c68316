import type { Context } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import { isId } from '../domain/id.js'
import { isCode } from '../domain/link.js'
import type { Owned } from '../domain/link.js'
import { networkOf } from '../domain/network.js'
import { Refusal } from '../domain/refusal.js'
import { PERSONAL_TOKEN_PREFIX, isOpaqueToken } from '../identity/opaque-token.js'
import type { Caller } from './route.js'

/** What a decision record is made of. */
export interface Decided {
  readonly ctx: Context
  /** the route's action */
  readonly action: string
  /** null where the gateway refused before it knew */
  readonly caller: Caller | null
  readonly decision: Decision | null
  /** the id of the link that was found; null for other records, and where none was */
  readonly linkId: string | null
  /** the record's name, where the path does not say it */
  readonly name?: string | null
}

/** The record of a request that was let through. */
export const recordOfAnswer = (decided: Decided, status: number): DecisionRecord =>
  recordOf(decided, decided.decision, { effect: 'allow', layer: 'object', status })

/**
 * The record of a refusal by a layer. Null where no layer refused (a missing record, a bad input, a limit), or where
 * the route has no action (signing in).
 */
export const recordOfRefusal = (decided: Decided, error: unknown): DecisionRecord | null => {
  if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) return null
  // a visitor who has to type a password was not refused
  if (!decided.action.includes(':') || error.code === 'password_required') return null
  const { layer, status, code, decision = null } = error
  return recordOf(decided, decision, { effect: 'deny', layer, status, code })
}

interface Outcome extends Pick<DecisionRecord, 'effect' | 'layer' | 'status'> {
  readonly code?: string
}

const recordOf = (
  { ctx, action, caller, linkId, name }: Decided,
  decision: Decision | null,
  { effect, layer, status, code = 'default' }: Outcome,
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
  resource_code: name === undefined ? nameIn(ctx.params, decision !== null) : name,
  relation: decision?.relation ?? 'other',
  effect,
  rule: decision?.rule ?? code,
  row_priority: decision?.row?.priority ?? null,
  status,
  resource_id: linkId,
})

/** The record's name in the path. Until a record was found, a text that looks like a token is left out. */
const nameIn = (params: unknown, found: boolean): string | null => {
  if (typeof params !== 'object' || params === null) return null
  const name: unknown = 'code' in params ? params.code : 'id' in params ? params.id : undefined
  // an id looks like a code; other texts name no record, and may hold what PostgreSQL cannot store (U+0000)
  if (!isCode(name)) return null
  const mayBeToken = isOpaqueToken(name) || isOpaqueToken(name, PERSONAL_TOKEN_PREFIX)
  return found || !mayBeToken ? name : null
}

/** For an action on links: the id of the record, which a list and a creation do not have. */
export const linkIdOf = (action: string, record: Owned): string | null =>
  action.startsWith('link:') && 'id' in record && isId(record.id) ? record.id : null
