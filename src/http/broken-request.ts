import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import type { FinishedRequest } from '../domain/finished-request.js'
import { Refusal } from '../domain/refusal.js'
import { breakBody } from '../input/broken-body.js'
import { problemOf } from './problem.js'
import { securityHeaders } from './security-headers.js'

interface Kind {
  readonly status: number
  readonly code: 'invalid_request' | 'not_implemented'
  readonly detail?: string
}

const INVALID: Kind = { status: 400, code: 'invalid_request' }
const UNKNOWN_METHOD: Kind = { status: 501, code: 'not_implemented' }
const KINDS: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: { ...INVALID, status: 431, detail: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { ...INVALID, status: 408, detail: 'The request did not arrive in time.' },
}

/** A valid request line (RFC 9112 §3): if Node's parser still reports an invalid method, it is merely unknown. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} \S+ HTTP\/1\.[01]\r\n/

const kindOf = (error: NodeJS.ErrnoException): Kind => {
  if (
    error.code === 'HPE_INVALID_METHOD' &&
    'rawPacket' in error &&
    Buffer.isBuffer(error.rawPacket) &&
    REQUEST_LINE.test(error.rawPacket.toString('latin1', 0, 8_192))
  )
    return UNKNOWN_METHOD
  return KINDS[error.code ?? ''] ?? INVALID
}

/**
 * Answers input that Node cannot parse as a request, with the same headers as every answer, and observes it as a
 * request with method `other` and no route. If an earlier request on the connection is still unanswered, its answer is
 * the last one and the connection closes: the client must not take the error for the answer to that request.
 */
export const answerBrokenRequests = (
  server: Server,
  secure: boolean,
  observe: (request: FinishedRequest) => void,
): void => {
  /** the response to the newest request of each connection; earlier requests on it are answered first */
  const newest = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => newest.set(socket, response))
  const ending = new WeakSet<Duplex>()
  const answer = answerBroken(secure, observe)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (ending.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const response = newest.get(socket)
    if (response === undefined) answer(error, socket)
    else if (!response.closed) {
      ending.add(socket)
      if (!response.headersSent) response.setHeader('Connection', 'close')
      response.once('close', () => socket.end(() => socket.destroy()))
      if (!response.req.complete) breakBody(response.req, error)
    }
    // leftover bytes of a request that was already answered
    else if (!response.req.complete || error.code === 'HPE_CLOSED_CONNECTION') socket.destroy()
    else answer(error, socket)
  })
}

const answerBroken = (secure: boolean, observe: (request: FinishedRequest) => void) => {
  const headers = securityHeaders(secure)
  const securityLines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1] ?? ''}`] : []))
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const { status, code, detail } = kindOf(error)
    const requestId = randomUUID()
    const refusal = new Refusal(code, { detail, cause: error })
    const body = JSON.stringify({ ...problemOf(refusal, requestId), status })
    // read before end(), which clears it
    const address = socket instanceof Socket ? (socket.remoteAddress ?? '') : ''
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      ...securityLines,
      `X-Request-ID: ${requestId}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    const text = `${head.join('\r\n')}\r\n\r\n${body}`
    // the rest of a request that is too slow could still arrive, and be carried out after its 408
    if (status === 408) socket.end(text, () => socket.destroy())
    else socket.end(text)
    observe({
      requestId,
      method: 'other',
      route: 'none',
      status,
      seconds: 0,
      bytes: Buffer.byteLength(body),
      aborted: false,
      refusal,
      address,
    })
  }
}
