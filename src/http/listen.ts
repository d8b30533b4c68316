import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'

import { StartError } from '../domain/start-error.js'

interface Place {
  readonly host: string
  /** 0: any free port */
  readonly port: number
  /** the setting that configures the port */
  readonly setting: keyof typeof HOST_OF
}

/** The host setting that belongs to each port setting. */
const HOST_OF = { PORT: 'HOST', METRICS_PORT: 'METRICS_HOST' } as const

/** Errors that the port causes; all others come from the host. */
const OF_THE_PORT: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES'])

/** Listens on the port. Throws a StartError that names the setting if that fails. */
export const listen = async (server: Server, { host, port, setting }: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE'
      const culprit = OF_THE_PORT.has(error.code) ? setting : HOST_OF[setting]
      reject(
        new StartError(
          isTaken
            ? `port ${port} on ${host} is taken; set ${setting} to another, or to 0 for any free one`
            : `${culprit}: cannot listen on ${host}:${port}: ${error.message}`,
        ),
      )
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      // a later error is not a failed start, and must not be swallowed here
      server.off('error', fail)
      resolve()
    })
  })

/**
 * Throws StartError if the port is not available now. For a start that creates things before it listens: it must not
 * leave them behind only because the port is taken.
 */
export const requireFreePort = async (place: Place): Promise<void> => {
  if (place.port === 0) return
  const server = createServer()
  await listen(server, place)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
}

const isAddressInfo = (address: ReturnType<Server['address']>): address is AddressInfo =>
  typeof address === 'object' && address !== null

/** The port that the server listens on. */
export const portOf = (server: Server): number => {
  const address = server.address()
  return isAddressInfo(address) ? address.port : 0
}

/** The server's URL, as reached from this machine. */
export const urlOf = (server: Server): string => {
  const address = server.address()
  if (!isAddressInfo(address)) throw new StartError('the server has no address')
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** The current addresses of this machine; none if the system does not tell, as in a sandbox without netlink sockets. */
export const interfaceAddresses = (): readonly string[] => {
  try {
    return Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
  } catch {
    return []
  }
}
