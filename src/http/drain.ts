import { Server as NetServer } from 'node:net'
import type { Socket } from 'node:net'
import type { Server, ServerResponse } from 'node:http'

export interface DrainOptions {
  /** closes every connection at once */
  readonly now: boolean
  /**
   * How long an idle connection is kept, in milliseconds; default 0. A client may be sending on it, and cannot know
   * whether a request on a closed connection was carried out.
   */
  readonly idleMs?: number
}

/**
 * Returns the function that drains a server: it accepts no connection, closes idle ones after `idleMs` (including those
 * that browsers open in advance, which node counts as busy) and others with their next answer. Resolves when none is
 * left.
 */
export const followConnections = (server: Server): ((options: DrainOptions) => Promise<void>) => {
  const active = new Map<Socket, Set<ServerResponse>>()
  let draining = false
  let keepsIdle = false
  let closed: Promise<void> | undefined
  const closeIfIdle = (socket: Socket) => {
    if (draining && !keepsIdle && active.get(socket)?.size === 0) socket.destroySoon()
  }
  // if the headers are sent already, the connection is closed when it becomes idle
  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }
  const closeIdle = () => {
    keepsIdle = false
    for (const socket of active.keys()) closeIfIdle(socket)
  }

  server.on('connection', (socket) => {
    active.set(socket, new Set())
    socket.once('close', () => active.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    active.get(socket)?.add(response)
    if (draining) announceClose(response)
    response.on('close', () => {
      active.get(socket)?.delete(response)
      closeIfIdle(socket)
    })
  })
  return async ({ now, idleMs = 0 }) => {
    // net's close(): that of http closes idle connections at once
    closed ??= new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    if (!draining) {
      draining = true
      keepsIdle = idleMs > 0
      for (const responses of active.values()) for (const response of responses) announceClose(response)
      if (keepsIdle) setTimeout(closeIdle, idleMs).unref()
    }
    if (now) server.closeAllConnections()
    else if (idleMs === 0) closeIdle()
    await closed
    // stops node's timer for connection timeouts
    server.close()
  }
}
