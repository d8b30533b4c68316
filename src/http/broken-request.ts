import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { REFUSALS } from '../domain/refusal.js'
import { securityHeaderList } from './security-headers.js'

const STATUS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** Answers what is not HTTP, before there is a request that the application could see; with the headers of every other answer. */
export const answerBrokenRequest = (secure: boolean) => {
  const guards = securityHeaderList(new IncomingMessage(new Socket()), secure)
  const lines = guards.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${guards[i + 1] ?? ''}\r\n`] : [])).join('')
  return (error: NodeJS.ErrnoException, socket: Duplex): void => answer(error, socket, lines)
}

const answer = (error: NodeJS.ErrnoException, socket: Duplex, guards: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = STATUS[error.code ?? ''] ?? [400, 'Bad Request']
  const requestId = randomUUID()
  const body = JSON.stringify({ type: 'urn:linkgate:problem:invalid_request', title: REFUSALS.invalid_request.title, status, code: 'invalid_request', request_id: requestId })
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${guards}X-Request-ID: ${requestId}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
