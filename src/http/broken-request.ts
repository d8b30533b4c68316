import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'

import { REFUSALS } from '../domain/refusal.js'

const STATUS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** As every other answer (app.ts): it is no page, and nobody keeps it. */
const HEADERS = [
  'Connection: close',
  'Content-Type: application/problem+json',
  "Content-Security-Policy: default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
  'Cross-Origin-Resource-Policy: same-origin',
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-Frame-Options: DENY',
].join('\r\n')

/** Answers what is not HTTP, before there is a request that the application could see. */
export const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = STATUS[error.code ?? ''] ?? [400, 'Bad Request']
  const requestId = randomUUID()
  const body = JSON.stringify({ type: 'urn:linkgate:problem:invalid_request', title: REFUSALS.invalid_request.title, status, code: 'invalid_request', request_id: requestId })
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${HEADERS}\r\nX-Request-ID: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
