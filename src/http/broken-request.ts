import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import type { FinishedRequest } from '../domain/finished-request.js'
import { Refusal, REFUSALS } from '../domain/refusal.js'
import { securityHeaderList } from './security-headers.js'

interface Kind {
  readonly status: number
  readonly reason: string
  readonly code: 'invalid_request' | 'not_implemented'
}

const INVALID: Kind = { status: 400, reason: 'Bad Request', code: 'invalid_request' }
const KINDS: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: { ...INVALID, status: 431, reason: 'Request Header Fields Too Large' },
  ERR_HTTP_REQUEST_TIMEOUT: { ...INVALID, status: 408, reason: 'Request Timeout' },
}
const UNKNOWN_METHOD: Kind = { status: 501, reason: 'Not Implemented', code: 'not_implemented' }

/** A request line as RFC 9112 §3 has it: what is wrong with it is that node's parser knows no such method. */
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
 * Answers what is not HTTP, before there is a request that the application could see: with the headers of every other
 * answer, and told of like every other, as method `other` of no route.
 */
export const answerBrokenRequest = (secure: boolean, observe: (request: FinishedRequest) => void) => {
  const guards = securityHeaderList(secure)
  const lines = guards.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${guards[i + 1] ?? ''}\r\n`] : [])).join('')
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { status, reason, code } = kindOf(error)
    const requestId = randomUUID()
    const body = JSON.stringify({
      type: `urn:linkgate:problem:${code}`,
      title: REFUSALS[code].title,
      status,
      code,
      request_id: requestId,
    })
    // asked for now: a socket that has ended no longer knows
    const address = socket instanceof Socket ? (socket.remoteAddress ?? '') : ''
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${lines}X-Request-ID: ${requestId}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    observe({
      requestId,
      method: 'other',
      route: 'none',
      status,
      seconds: 0,
      bytes: Buffer.byteLength(body),
      aborted: false,
      refusal: new Refusal(code, { cause: error }),
      decision: undefined,
      revision: undefined,
      userId: undefined,
      address,
      link: undefined,
      traceId: undefined,
    })
  }
}
