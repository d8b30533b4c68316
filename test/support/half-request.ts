import { once } from 'node:events'
import { connect } from 'node:net'

interface Request {
  readonly method?: string
  readonly path?: string
  readonly token?: string
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the server has begun to read. */
export interface HalfRequest {
  /** The status of the answer, when the connection has ended; null where it ended without one. */
  readonly answer: Promise<number | null>
  /** Sends the last character, and resolves as `answer`. */
  finish(): Promise<number | null>
}

/**
 * A request whose body lacks its last character until `finish`; without options a sign-in that is refused with 400.
 * `answer` waits for the end of the connection, so a server that has no reason to end it is asked with
 * `Connection: close`.
 */
export const halfRequest = async (
  baseUrl: string,
  { method = 'POST', path = '/auth/token', token, json = {}, headers = {} }: Request = {},
): Promise<HalfRequest> => {
  const body = JSON.stringify(json)
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let said = ''
  socket.setEncoding('utf8').on('data', (text) => {
    said += String(text)
  })
  socket.on('error', () => undefined)
  const answer = new Promise<number | null>((resolve) => {
    socket.on('close', () => resolve(Number(/HTTP\/1\.1 ([2-5]\d\d) /.exec(said)?.[1] ?? 0) || null))
  })
  const lines = Object.entries({
    Host: 'x',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Expect: '100-continue',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  // the answer to Expect: the server has the head
  await once(socket, 'data')
  socket.write(body.slice(0, -1))
  return {
    answer,
    finish: () => {
      socket.write(body.slice(-1))
      return answer
    },
  }
}
