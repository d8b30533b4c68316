import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'

import type { ClientConfig } from 'pg'

/** A wire to PostgreSQL that a test can cut, hold up, and mend. */
export interface Wire {
  /** how to connect through the wire */
  readonly connection: ClientConfig
  /** breaks every connection, and refuses new ones */
  cut(): void
  /** lets nothing through any more, and tells nobody */
  hold(): void
  /** like `hold`, and does not even answer the end of a connection: the network is gone */
  vanish(): void
  /** lets everything through so many milliseconds late, each way */
  delay(milliseconds: number): void
  mend(): void
  /** bytes that were sent towards the server so far */
  sent(): number
  close(): Promise<void>
}

const isAddress = (address: unknown): address is AddressInfo =>
  typeof address === 'object' && address !== null && 'port' in address

/** Opens a wire on the loopback to the server that `connection` names. */
export const openWire = async (connection: ClientConfig): Promise<Wire> => {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'whole' | 'cut' | 'held' = 'whole'
  let late = 0
  let sent = 0
  const pass = (to: Socket, bytes: Buffer) => {
    if (state !== 'whole') return
    if (late === 0) to.write(bytes)
    else
      setTimeout(() => {
        if (!to.destroyed) to.write(bytes)
      }, late)
  }
  const target = `${connection.host}/.s.PGSQL.${connection.port}`
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = createConnection(target)
    const pair = [near, far] as const
    pairs.add(pair)
    near.on('data', (bytes) => {
      sent += bytes.length
      pass(far, bytes)
    })
    far.on('data', (bytes) => pass(near, bytes))
    for (const each of pair) {
      each.on('error', () => undefined)
      each.on('close', () => {
        near.destroy()
        far.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (!isAddress(address)) throw new Error('no address')
  const breakAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    connection: { ...connection, host: '127.0.0.1', port: address.port },
    cut: () => {
      state = 'cut'
      breakAll()
    },
    hold: () => {
      state = 'held'
    },
    vanish: () => {
      state = 'held'
      // what is not read has no end
      for (const pair of pairs) for (const each of pair) each.pause()
    },
    delay: (milliseconds) => {
      late = milliseconds
    },
    // what was lost or is late on the wire is not made good: those connections are over
    mend: () => {
      if (state === 'held' || late > 0) breakAll()
      state = 'whole'
      late = 0
    },
    sent: () => sent,
    close: async () => {
      breakAll()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

/** A port of the loopback that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  if (!isAddress(address)) throw new Error('no address')
  return address.port
}
