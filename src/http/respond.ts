import { Readable } from 'node:stream'

import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'
import { LANGUAGE_TAGS, textsIn } from '../pages/pages.js'
import { AnswerHeaders } from './answer-headers.js'
import { FixedDocument } from './fixed-document.js'

/** Closes the stream of an answer that will not be sent. */
export const discard = ({ body }: Answer): void => {
  if (body instanceof Readable) body.destroy()
}

/**
 * Writes an answer. Its headers are added to those of the request (`ctx.state.headers`) and override them. The body is
 * JSON unless the answer names another type, or has a page that the caller prefers. If a header is invalid, throws
 * without writing anything.
 */
export const respond = (ctx: Context, answer: Answer): void => {
  if (answer.page !== undefined) return respond(ctx, negotiate(ctx, answer))
  if (answer.body instanceof FixedDocument) return respond(ctx, represent(ctx, answer, answer.body))
  const { body, type = 'application/json; charset=utf-8' } = answer
  const headers = withOwn(ctx, answer)
  if (body instanceof Readable) {
    // koa writes the head with the first chunk, so an error before it can still be answered
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

/** The first one wins a tie: programs rarely say what they want. */
const TYPES = ['application/json', 'application/problem+json', 'text/html']

/** Content negotiation (RFC 9110 §12.5): a browser gets the answer's page, every other client the answer itself. */
const negotiate = (ctx: Context, { page, ...answer }: Answer): Answer => {
  if (page === undefined) return answer
  const headers = { ...answer.headers, Vary: 'Accept, Accept-Language' }
  if (ctx.accepts(TYPES) !== 'text/html') return { ...answer, headers }
  const { text, headers: own } = page(textsIn(...acceptedLanguages(ctx)))
  return { ...answer, headers: { ...headers, ...own }, type: 'text/html; charset=utf-8', body: text }
}

/**
 * The languages of the request's Accept-Language, the preferred one first. `*` stands for those of ours that it does
 * not name: one that it refuses with `q=0` is named (RFC 9110 §12.5.4).
 */
const acceptedLanguages = (ctx: Context): readonly string[] => {
  const named = ctx.acceptsLanguages().map((range) => range.toLowerCase())
  const others = LANGUAGE_TAGS.filter((tag) => !named.includes(tag) && ctx.acceptsLanguages(tag) !== false)
  return named.flatMap((range) => (range === '*' ? others : range))
}

/** The document in the encoding that the caller accepts: compressed or plain. */
const represent = (ctx: Context, answer: Answer, document: FixedDocument): Answer => {
  const { bytes, headers } = document.as(ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity')
  return { ...answer, body: bytes, headers: { ...answer.headers, ...headers } }
}

/**
 * The request's headers merged with the answer's, as a copy: if writing the answer fails, the problem that is sent
 * instead must not inherit its headers. `no-store`, which is set for requests with a token, cannot be overridden.
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

/** RFC 9110 §8.6: an answer with this status has no Content-Length. */
const isBodiless = (status: number): boolean => status === 204 || status === 304

/**
 * Whether If-None-Match names the answer's ETag (RFC 9110 §13.1.2). koa's `fresh` does not fit: it respects the
 * request's `Cache-Control: no-cache`, which is meant for caches, and which fetch() adds to every conditional request.
 */
const isHeld = ({ method, headers }: Context, tag: string | undefined): boolean =>
  tag !== undefined &&
  (method === 'GET' || method === 'HEAD') &&
  (headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === tag || each === '*')
