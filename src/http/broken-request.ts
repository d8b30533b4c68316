import type { Duplex } from 'node:stream'

import { REFUSALS } from '../domain/refusal.js'

const STATUS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** Answers what is not HTTP, before there is a request that the application could see. */
export const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = STATUS[error.code ?? ''] ?? [400, 'Bad Request']
  const body = JSON.stringify({ type: 'urn:linkgate:problem:invalid_request', title: REFUSALS.invalid_request.title, status, code: 'invalid_request' })
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
