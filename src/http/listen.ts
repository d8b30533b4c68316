import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { networkInterfaces } from 'node:os'

import { StartError } from '../domain/start-error.js'

interface Place {
  readonly host: string
  /** 0: any free one */
  readonly port: number
  /** the setting that the port comes from */
  readonly setting: keyof typeof HOST_OF
}

/** The setting of the host beside that of its port. */
const HOST_OF = { PORT: 'HOST', METRICS_PORT: 'METRICS_HOST' } as const

/** What the port is at fault for; for anything else it is the host. */
const OF_THE_PORT: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES'])

/** Takes the port. Throws StartError, naming the setting, where it cannot be had. */
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
      // a later error is not a failed start, and must not be swallowed as one
      server.off('error', fail)
      resolve()
    })
  })

/**
 * Throws StartError where the port cannot be had now. For a start that makes things before it listens: it must not
 * leave them behind for that.
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

/** The port that it was given. */
export const portOf = (server: Server): number => {
  const address = server.address()
  return isAddressInfo(address) ? address.port : 0
}

/** The address as a URL, as it is reached on this machine. */
export const urlOf = (server: Server): string => {
  const address = server.address()
  if (!isAddressInfo(address)) throw new StartError('the server has no address')
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** The addresses that this machine has, as of now. */
export const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
