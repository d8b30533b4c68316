import { connect } from 'node:net'

/** Sends bytes as they are to a server, and answers all that it says until it closes the connection. */
export const sendRaw = async (baseUrl: string, text: string): Promise<string> => {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      said += String(chunk)
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(said))
    socket.write(text)
  })
}

/** The status line's number of what a server said. */
export const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1])
