import type { Context, Next } from 'koa'

import type { FinishedRequest } from '../domain/finished-request.js'
import { KNOWN_METHODS } from './refuse-unrouted.js'

const CLIENT_CLOSED_REQUEST = 499

/** Calls `observe` once for every finished request, including refused and aborted ones. */
export const finishRequests =
  (observe: (request: FinishedRequest) => void) =>
  (ctx: Context, next: Next): Promise<void> => {
    ctx.state.startedAt = performance.now()
    ctx.res.on('close', () => observe(describeFinished(ctx)))
    return next()
  }

/** Describes a finished request. Call it when the response has closed. */
export const describeFinished = (ctx: Context): FinishedRequest => {
  const { requestId, startedAt, route = 'none', refusal, revision, userId, address, traceId } = ctx.state
  const body: unknown = ctx.body
  const decision = ctx.state.decision ?? refusal?.decision
  return {
    requestId,
    method: KNOWN_METHODS.has(ctx.method) ? ctx.method : 'other',
    route,
    status: ctx.res.headersSent ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST,
    seconds: (performance.now() - startedAt) / 1_000,
    bytes: typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : body === null ? 0 : undefined,
    aborted: !ctx.res.writableFinished,
    refusal,
    decision,
    revision,
    userId,
    address: address ?? ctx.req.socket.remoteAddress ?? '',
    link: decision !== undefined && route.includes(':code') ? codeIn(ctx.params) : undefined,
    traceId,
  }
}

/** The path parameter `code`, which may be any text. */
export const codeIn = (params: unknown): string | undefined =>
  typeof params === 'object' && params !== null && 'code' in params && typeof params.code === 'string'
    ? params.code
    : undefined
