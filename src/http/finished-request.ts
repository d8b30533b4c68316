import type { Context, Next } from 'koa'

import type { FinishedRequest } from '../domain/finished-request.js'
import { KNOWN_METHODS } from './refuse-unrouted.js'

const CLIENT_CLOSED_REQUEST = 499

/** Tells of every request, refused and abandoned ones too, once it is over. */
export const finishRequests =
  (observe: (request: FinishedRequest) => void) =>
  (ctx: Context, next: Next): Promise<void> => {
    const startedAt = (ctx.state.startedAt = performance.now())
    ctx.res.on('close', () => observe(describeFinished(ctx, (performance.now() - startedAt) / 1_000)))
    return next()
  }

/** The request as it ended; to be asked when its response is closed. */
export const describeFinished = (ctx: Context, seconds: number): FinishedRequest => {
  const { requestId, route = 'none', refusal, revision, userId, address, traceId } = ctx.state
  const body: unknown = ctx.body
  const decision = ctx.state.decision ?? refusal?.decision
  return {
    requestId,
    method: KNOWN_METHODS.has(ctx.method) ? ctx.method : 'other',
    route,
    status: ctx.res.headersSent ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST,
    seconds,
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

/** What a path names where it names a link; it need not be a code. */
export const codeIn = (params: unknown): string | undefined =>
  typeof params === 'object' && params !== null && 'code' in params && typeof params.code === 'string'
    ? params.code
    : undefined
