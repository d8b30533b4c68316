import { createConnection, createServer, type Socket } from 'node:net'

/** A proxy to a database that delays everything by DELAY_MS each way and preserves the order. */
const { TARGET = '', DELAY_MS = '1' } = process.env
const late = (from: Socket, to: Socket) => {
  from.on('data', (bytes) => {
    setTimeout(() => to.write(bytes), Number(DELAY_MS))
  })
  from.on('close', () => setTimeout(() => to.destroy(), Number(DELAY_MS)))
  from.on('error', () => to.destroy())
  from.setNoDelay?.(true)
}
const server = createServer((near) => {
  const far = createConnection(TARGET)
  late(near, far)
  late(far, near)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null)
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })} listening\n`)
})
