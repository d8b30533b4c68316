import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Follows a server's connections so that it can stop in order. The function that it answers takes no new connection, ends
 * those on which no request is under way at once (also those on which none ever was: a browser opens them in advance, and
 * node counts them as busy), and every other after its answer. `now` ends all of them. Resolves when none is left.
 */
export const followConnections = (server: Server): ((options: { readonly now: boolean }) => Promise<void>) => {
  const underWay = new Map<Socket, number>()
  let draining = false
  const endIfIdle = (socket: Socket) => { if (draining && underWay.get(socket) === 0) socket.destroySoon() }

  server.on('connection', (socket) => {
    underWay.set(socket, 0)
    socket.once('close', () => underWay.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
    if (draining) response.setHeader('Connection', 'close')
    response.once('close', () => {
      if (!underWay.has(socket)) return
      underWay.set(socket, (underWay.get(socket) ?? 1) - 1)
      endIfIdle(socket)
    })
  })
  return async ({ now }) => {
    draining = true
    const closed = new Promise<void>((resolve) => { server.close(() => resolve()) })
    if (now) server.closeAllConnections()
    else for (const socket of underWay.keys()) endIfIdle(socket)
    await closed
  }
}
