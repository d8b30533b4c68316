import { once } from 'node:events'
import { connect } from 'node:net'

/** A request to sign in whose body lacks its last character until `finish`. `{}` is refused with 422 then. */
export const halfRequest = async (baseUrl: string, body = '{}') => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let said = ''
  socket.setEncoding('utf8').on('data', (text) => {
    said += String(text)
  })
  socket.on('error', () => undefined)
  // null where the connection ended without an answer
  const answer = new Promise<number | null>((resolve) => {
    socket.on('close', () => resolve(Number(/HTTP\/1\.1 ([2-5]\d\d) /.exec(said)?.[1] ?? 0) || null))
  })
  socket.write(
    `POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Expect: 100-continue\r\n\r\n${body.slice(0, -1)}`,
  )
  // the answer to Expect: the server has the head
  await once(socket, 'data')
  return {
    finish: () => {
      socket.write(body.slice(-1))
    },
    answer,
  }
}
