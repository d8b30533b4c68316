import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { Refusal, REFUSALS } from '../domain/refusal.js'
import type { FinishedRequest } from './finished-request.js'
import { securityHeaderList } from './security-headers.js'

const STATUS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/**
 * Answers what is not HTTP, before there is a request that the application could see: with the headers of every other answer,
 * and told of like every other, as method `other` of no route.
 */
export const answerBrokenRequest = (secure: boolean, observe: (request: FinishedRequest) => void) => {
  const guards = securityHeaderList(new IncomingMessage(new Socket()), secure)
  const lines = guards.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${guards[i + 1] ?? ''}\r\n`] : [])).join('')
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, reason] = STATUS[error.code ?? ''] ?? [400, 'Bad Request']
    const requestId = randomUUID()
    const body = JSON.stringify({ type: 'urn:linkgate:problem:invalid_request', title: REFUSALS.invalid_request.title, status, code: 'invalid_request', request_id: requestId })
    // asked for now: a socket that has ended no longer knows
    const address = socket instanceof Socket ? socket.remoteAddress ?? '' : ''
    socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${lines}X-Request-ID: ${requestId}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    observe({
      requestId, method: 'other', route: 'none', status, seconds: 0, bytes: Buffer.byteLength(body), aborted: false, refusal: new Refusal('invalid_request', { cause: error }),
      decision: undefined, revision: undefined, userId: undefined, address, link: undefined, traceId: undefined,
    })
  }
}
