import { once } from 'node:events'
import { connect } from 'node:net'

import type { TestService } from './service.js'

/** A request whose body lacks its last character until `finish`, which answers its status; null where none came. */
export const slowBody = async (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  method: string,
  path: string,
  { token, json, headers = {} }: { token: string; json: unknown; headers?: Readonly<Record<string, string>> },
): Promise<{ finish(): Promise<number | null>; answered(): Promise<number | null> }> => {
  const body = JSON.stringify(json)
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let said = ''
  socket.setEncoding('utf8').on('data', (text) => {
    said += String(text)
  })
  socket.on('error', () => undefined)
  const closed = new Promise<number | null>((resolve) => {
    socket.on('close', () => resolve(Number(/HTTP\/1\.1 ([2-5]\d\d) /.exec(said)?.[1] ?? 0) || null))
  })
  const lines = Object.entries({
    Host: 'x',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Expect: '100-continue',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  // the answer to Expect: the server has the head
  await once(socket, 'data')
  socket.write(body.slice(0, -1))
  return {
    finish: () => {
      socket.write(body.slice(-1))
      return closed
    },
    answered: () => closed,
  }
}
