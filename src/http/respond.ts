import { Readable } from 'node:stream'

import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'
import { AnswerHeaders } from './answer-headers.js'
import { FixedDocument } from './fixed-document.js'
import { negotiate } from './negotiate.js'

/** Closes what an answer holds that nobody will read. */
export const discard = ({ body }: Answer): void => {
  if (body instanceof Readable) body.destroy()
}

/**
 * Writes an answer with the headers that the request has gathered (`ctx.state.headers`); its own win. A body is JSON
 * unless the answer names another type, or has a page that the caller prefers. Throws where a header cannot be sent;
 * nothing is written then.
 */
export const respond = (ctx: Context, answer: Answer): void => {
  if (answer.page !== undefined) return respond(ctx, negotiate(ctx, answer))
  if (answer.body instanceof FixedDocument) return respond(ctx, represent(ctx, answer, answer.body))
  const { body, type = 'application/json; charset=utf-8' } = answer
  const headers = withOwn(ctx, answer)
  if (body instanceof Readable) {
    // koa writes the head with the first chunk, so that what fails before it is still answered
    headers.set('Content-Type', type)
    for (let at = 0; at < headers.list.length; at += 2) ctx.set(headers.list[at] ?? '', headers.list[at + 1] ?? '')
    ctx.body = body
    ctx.status = answer.status
    return
  }
  const status = answer.status === 200 && isHeld(ctx, headers.get('ETag')) ? 304 : answer.status
  const sent = status === 304 || body === undefined ? null : isWritten(body) ? body : JSON.stringify(body)
  if (sent !== null) headers.set('Content-Type', type)
  if (sent !== null || !isBodiless(status)) headers.set('Content-Length', String(Buffer.byteLength(sent ?? '')))
  ctx.status = status
  ctx.res.writeHead(status, headers.list)
  ctx.body = sent
}

const isWritten = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body)

/** The document as this caller takes it: compressed or plain. */
const represent = (ctx: Context, answer: Answer, document: FixedDocument): Answer => {
  const { bytes, headers } = document.as(ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity')
  return { ...answer, body: bytes, headers: { ...answer.headers, ...headers } }
}

/**
 * A copy: of an answer that cannot be written nothing stays for the problem that is written instead. What may not be
 * stored by a cache because somebody has signed in for it stays so.
 */
const withOwn = ({ state }: Context, { headers: own = {} }: Answer): AnswerHeaders => {
  const headers = new AnswerHeaders(state.headers.list)
  const vary = headers.get('Vary')
  const isPrivate = headers.get('Cache-Control') === 'no-store'
  for (const name in own) headers.set(name, own[name] ?? '')
  if (vary !== undefined && own['Vary'] !== undefined) headers.set('Vary', `${vary}, ${own['Vary']}`)
  if (isPrivate) headers.set('Cache-Control', 'no-store')
  if (state.revision !== undefined) headers.set('Policy-Revision', String(state.revision))
  return headers
}

/** RFC 9110 §8.6: such an answer has no Content-Length. */
const isBodiless = (status: number): boolean => status === 204 || status === 304

/**
 * RFC 9110 §13.1.2: what the caller already holds is not sent again. Not koa's `fresh`, which heeds a `Cache-Control:
 * no-cache` that is meant for caches on the way, and that fetch() adds to every request with a condition.
 */
const isHeld = ({ method, headers }: Context, tag: string | undefined): boolean =>
  tag !== undefined &&
  (method === 'GET' || method === 'HEAD') &&
  (headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === tag || each === '*')
