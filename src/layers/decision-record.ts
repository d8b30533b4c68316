import type { Context } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import { isId } from '../domain/id.js'
import { isCode, type Owned } from '../domain/link.js'
import { networkOf } from '../domain/network.js'
import { Refusal } from '../domain/refusal.js'
import { PERSONAL_TOKEN_PREFIX, isOpaqueToken } from '../identity/opaque-token.js'
import { subjectOf, type Caller } from './caller.js'

/** The input of a decision record. */
export interface Decided {
  readonly ctx: Context
  /** the route's action */
  readonly action: string
  /** null if the gateway refused before it identified the caller */
  readonly caller: Caller | null
  readonly decision: Decision | null
  /** the link's id; null for other records, and if no link was found */
  readonly linkId: string | null
  /** the record's name, if it is not the one in the path */
  readonly name?: string | null | undefined
}

/** The record of an allowed request. */
export const recordOfAnswer = (decided: Decided, status: number): DecisionRecord =>
  recordOf(decided, decided.decision, { effect: 'allow', layer: 'object', status })

/**
 * The record of a refusal by a layer. Null if no layer refused (missing record, invalid input, rate limit), or if the
 * route has no action (signing in).
 */
export const recordOfRefusal = (decided: Decided, error: unknown): DecisionRecord | null => {
  if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) return null
  // asking a visitor for the link's password is not a refusal
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
  request_id: ctx.state.requestId,
  revision: decision?.revision ?? ctx.state.revision ?? 0,
  layer,
  ...subjectOf(caller),
  network: caller?.user ? null : networkOf(ctx.state.address ?? ctx.req.socket.remoteAddress ?? ''),
  action,
  resource_type: action.slice(0, action.indexOf(':')),
  resource_code: name === undefined ? nameIn(ctx.params, action, decision !== null) : name,
  relation: decision?.relation ?? 'other',
  effect,
  rule: decision?.rule ?? code,
  row_priority: decision?.row?.priority ?? null,
  status,
  resource_id: linkId,
})

/**
 * The record's name in the path. If no record was found, text that looks like a token is left out. An id does not name
 * a link: it would read as a code.
 */
const nameIn = (params: unknown, action: string, found: boolean): string | null => {
  if (typeof params !== 'object' || params === null) return null
  const id: unknown = 'id' in params && !action.startsWith('link:') ? params.id : undefined
  const name: unknown = 'code' in params ? params.code : id
  // Ids match the pattern of a code, too. Other text names no record and may contain U+0000, which PostgreSQL rejects.
  if (!isCode(name)) return null
  const mayBeToken = isOpaqueToken(name) || isOpaqueToken(name, PERSONAL_TOKEN_PREFIX)
  return found || !mayBeToken ? name : null
}

/** The record's id for an action on links; null for other actions, lists and creations. */
export const linkIdOf = (action: string, record: Owned): string | null =>
  action.startsWith('link:') && 'id' in record && isId(record.id) ? record.id : null

/** The code of the link that an action is about; undefined for other actions, lists and creations. */
export const linkCodeOf = (action: string, record: Owned): string | undefined =>
  action.startsWith('link:') && 'code' in record && isCode(record.code) ? record.code : undefined
