import type { Context, Next } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { Refusal } from '../domain/refusal.js'
import { KNOWN_METHODS } from './refuse-unrouted.js'

/** One request that is over, for whoever counts and logs. Nothing in it is the caller's own text, but the request id. */
export interface FinishedRequest {
  readonly requestId: string
  /** a method of HTTP, or `other` */
  readonly method: string
  /** the path's pattern in the route table, or `none`: a path itself may hold a token */
  readonly route: string
  /** 499 where the caller left before there was an answer */
  readonly status: number
  /** from the first middleware until the last byte was handed over, or the caller left */
  readonly seconds: number
  /** of the body; undefined where it is streamed */
  readonly bytes: number | undefined
  /** true where the caller left before the answer was whole */
  readonly aborted: boolean
  readonly refusal: Refusal | undefined
  /** undefined where nothing was decided */
  readonly decision: Decision | undefined
  readonly revision: number | undefined
  /** the user who asked; undefined where the gateway knew none */
  readonly userId: string | undefined
  /** of the client */
  readonly address: string
  /** the link that the request is about, once a decision about it was made: other texts in a path may be anything */
  readonly link: string | undefined
  readonly traceId: string | undefined
}

const CLIENT_CLOSED_REQUEST = 499

/** Tells of every request, refused and abandoned ones too, once it is over. */
export const finishRequests = (observe: (request: FinishedRequest) => void) => async (ctx: Context, next: Next): Promise<void> => {
  const began = performance.now()
  ctx.res.once('close', () => observe(describeFinished(ctx, (performance.now() - began) / 1_000)))
  await next()
}

/** The request as it ended; to be asked when its response is closed. */
export const describeFinished = (ctx: Context, seconds: number): FinishedRequest => {
  const { requestId, route = 'none', refusal, revision, userId, address, traceId } = ctx.state
  const decision = ctx.state.decision ?? refusal?.decision
  return {
    requestId,
    method: KNOWN_METHODS.has(ctx.method) ? ctx.method : 'other',
    route,
    status: ctx.res.headersSent ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST,
    seconds,
    bytes: ctx.response.length,
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

const codeIn = (params: unknown): string | undefined =>
  typeof params === 'object' && params !== null && 'code' in params && typeof params.code === 'string' ? params.code : undefined
