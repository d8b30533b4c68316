import { Server as NetServer, type Socket } from 'node:net'
import type { Server, ServerResponse } from 'node:http'

export interface DrainOptions {
  /** closes every connection at once */
  readonly now: boolean
  /**
   * How long idle connections stay open, in milliseconds; default 0. A client may just be sending a request on one; if
   * it closed, the client could not know whether the request was carried out.
   */
  readonly idleMs?: number
}

/** How long a drain waits for a response that has begun: an export lasts as long as its reader needs. */
const BEGUN_MS = 2_000

/**
 * Closes connections beyond `maxConnections` at once. Node's own limit would hand them to the next worker of a cluster,
 * and again, without end.
 *
 * Returns the function that drains the server. It then accepts no new connections. Idle ones are closed after
 * `idleMs`, including those that browsers open in advance, which Node counts as busy; the others with their next
 * answer. Unless idle connections are kept, an answer that has begun is cut off after 2 to 4 seconds. Resolves when no
 * connection is left.
 */
export const followConnections = (
  server: Server,
  maxConnections: number,
): ((options: DrainOptions) => Promise<void>) => {
  const active = new Map<Socket, Set<ServerResponse>>()
  let draining = false
  let keepsIdle = false
  let cutting: NodeJS.Timeout | undefined
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

  /** At each interval, cuts off the responses that had already begun at the last one. */
  const cutOffSlow = () => {
    const begun = new Set<ServerResponse>()
    const cut = () => {
      for (const [socket, responses] of active)
        for (const response of responses) {
          if (begun.has(response)) socket.destroy()
          else if (response.headersSent) begun.add(response)
        }
    }
    cut()
    return setInterval(cut, BEGUN_MS)
  }

  server.on('connection', (socket) => {
    if (active.size >= maxConnections) return socket.destroy()
    active.set(socket, new Set())
    socket.once('close', () => {
      const left = active.get(socket)
      active.delete(socket)
      // Node closes the response whose turn it is. Those of pipelined requests behind it are over as well.
      setImmediate(() => left?.forEach((response) => response.emit('close')))
    })
  })
  server.on('request', ({ socket }, response) => {
    const responses = active.get(socket)
    responses?.add(response)
    if (draining) announceClose(response)
    response.on('close', () => {
      responses?.delete(response)
      closeIfIdle(socket)
    })
  })
  return async ({ now, idleMs = 0 }) => {
    // close() of net, because that of http closes idle connections at once
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
    else if (idleMs === 0) {
      closeIdle()
      cutting ??= cutOffSlow()
    }
    await closed
    clearInterval(cutting)
    // stops Node's timer for connection timeouts
    server.close()
  }
}
