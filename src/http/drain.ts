import { Server as NetServer } from 'node:net'
import type { Socket } from 'node:net'
import type { Server, ServerResponse } from 'node:http'

export interface DrainOptions {
  /** ends every connection at once */
  readonly now: boolean
  /**
   * How long a connection without a request is kept, in milliseconds, by default not at all. The client that means to
   * use it again may be sending at this moment, and cannot know whether a request on a connection that was closed was
   * done.
   */
  readonly idleMs?: number
}

/**
 * Follows a server's connections so that it can stop in order. The function that it answers takes no new connection,
 * ends those on which no request is under way after `idleMs` (also those on which none ever was: a browser opens them
 * in advance, and node counts them as busy), and every other with its next answer. `now` ends all of them. Resolves
 * when none is left.
 */
export const followConnections = (server: Server): ((options: DrainOptions) => Promise<void>) => {
  const underWay = new Map<Socket, Set<ServerResponse>>()
  let draining = false
  let keepsIdle = false
  let closed: Promise<void> | undefined
  const endIfIdle = (socket: Socket) => {
    if (draining && !keepsIdle && underWay.get(socket)?.size === 0) socket.destroySoon()
  }
  // an answer whose headers are gone cannot say it any more: its connection ends as an idle one
  const announceEnd = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }
  const endIdle = () => {
    keepsIdle = false
    for (const socket of underWay.keys()) endIfIdle(socket)
  }

  server.on('connection', (socket) => {
    underWay.set(socket, new Set())
    socket.once('close', () => underWay.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    underWay.get(socket)?.add(response)
    if (draining) announceEnd(response)
    response.on('close', () => {
      underWay.get(socket)?.delete(response)
      endIfIdle(socket)
    })
  })
  return async ({ now, idleMs = 0 }) => {
    // net's own close: that of http ends idle connections at once
    closed ??= new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    if (!draining) {
      draining = true
      keepsIdle = idleMs > 0
      for (const responses of underWay.values()) for (const response of responses) announceEnd(response)
      if (keepsIdle) setTimeout(endIdle, idleMs).unref()
    }
    if (now) server.closeAllConnections()
    else if (idleMs === 0) endIdle()
    await closed
    // lets go of node's own timer over this server's connections
    server.close()
  }
}
