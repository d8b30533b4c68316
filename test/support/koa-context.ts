import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import Koa, { type Context } from 'koa'

import { AnswerHeaders } from '../../src/http/answer-headers.js'

const app = new Koa()

/**
 * A context of a request that came with these header lines (a list of pairs, as node's rawHeaders), without a network.
 */
export const koaContext = (headers: readonly (readonly [string, string])[] = [], url = '/'): Context => {
  const request = new IncomingMessage(new Socket())
  request.method = 'GET'
  request.url = url
  request.rawHeaders = headers.flat()
  // node keeps the first of two Authorization lines
  for (const [name, value] of headers) request.headers[name.toLowerCase()] ??= value
  const ctx = app.createContext(request, new ServerResponse(request))
  ctx.state.headers = new AnswerHeaders()
  return ctx
}
