import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

import { addUser } from './add-user.js'
import { openConnection } from './connection.js'
import { testDatabase } from './database.js'
import { onDatabase, startNode } from './node.js'
import { addManyLinks } from './records.js'
import { madeSigningKey } from './signing-key.js'
import { until } from './until.js'

export interface SlowReport {
  /** the 99th percentile of other callers' requests in each round, in milliseconds: alone, and among the slow ones */
  readonly alone: readonly number[]
  readonly among: readonly number[]
  /** the median of each, divided */
  readonly ratio: number
  readonly medianAmong: number
  /** requests of other callers that were answered with anything but a success */
  readonly failed: readonly string[]
  /** file descriptors of the process: at rest, and at the most among the slow clients */
  readonly descriptors: { readonly atRest: number; readonly most: number; readonly after: number }
  /** answers to the exports that nobody read, by status; 0 where there was none */
  readonly exports: Readonly<Record<string, number>>
}

export interface SlowOptions {
  readonly idle: number
  /** of each: heads that never end, bodies that never end */
  readonly slow: number
  readonly readers: number
  readonly rounds: number
  readonly roundMs: number
  readonly maxConnections: number
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

/**
 * How other callers fare while so many connections do nothing, send the head or the body of a request byte by byte, or
 * ask for an export and read none of it. Rounds with and without them take turns, for whatever else the machine does.
 */
export const amongSlowClients = async ({
  idle,
  slow,
  readers,
  rounds,
  roundMs,
  maxConnections,
}: SlowOptions): Promise<SlowReport> => {
  const db = await testDatabase()
  const environment = {
    ...onDatabase(db.service, db.owner),
    JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    DATABASE_POOL_SIZE: '8',
    MAX_CONNECTIONS: String(maxConnections),
  }
  const node = await startNode(environment)
  const { hostname, port } = new URL(node.baseUrl)
  const descriptors = async () => (await readdir(`/proc/${node.child.pid}/fd`)).length
  try {
    const { id, token } = await addUser(
      { connection: db.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE },
      'editor',
    )
    // more than the buffers of a connection hold
    await addManyLinks(db, { owner: id, count: 10_000, prefix: 'slow-', targetLength: 1_900 })
    const headers = { Authorization: `Bearer ${token}` }
    const atRest = await descriptors()
    let most = atRest
    const failed: string[] = []
    const exports: Record<string, number> = {}

    const measure = async (): Promise<number> => {
      const times: number[] = []
      const end = performance.now() + roundMs
      await Promise.all(
        Array.from({ length: 4 }, async (_, i) => {
          const { request, close } = openConnection(node.baseUrl)
          for (let turn = i; performance.now() < end; turn += 1) {
            const [method, path, json] = (
              [
                ['GET', '/slow-1'],
                ['GET', '/links?limit=5'],
                ['PATCH', `/links/slow-${10 + i}`, { target: `https://example.com/${turn}` }],
                ['GET', '/users/me'],
              ] as const
            )[turn % 4] ?? ['GET', '/healthz']
            const start = performance.now()
            const answer = await request(method, path, { headers, ...(json === undefined ? {} : { json }) }).catch(
              (error: unknown) => ({ status: String(error) }),
            )
            times.push(performance.now() - start)
            if (![200, 302].includes(Number(answer.status))) failed.push(`${method} ${path}: ${answer.status}`)
          }
          close()
        }),
      )
      return p99(times)
    }
    const open = async (text: string): Promise<Socket> => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(text)
      return socket
    }
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`
    const occupy = async () => {
      const sockets: Socket[] = []
      const many = async (count: number, text: string, watch: (socket: Socket) => void) => {
        for (let i = 0; i < count; i += 100) {
          const opened = await Promise.all(Array.from({ length: Math.min(100, count - i) }, () => open(text)))
          for (const socket of opened) watch(socket)
          sockets.push(...opened)
        }
      }
      const trickle = (socket: Socket) => {
        socket.resume()
        const timer = setInterval(() => {
          if (socket.writable) socket.write('x')
        }, 500)
        socket.on('close', () => clearInterval(timer))
      }
      await many(idle, '', (socket) => socket.resume())
      await many(slow, `GET /links HTTP/1.1\r\nX-Slow: `, trickle)
      await many(
        slow,
        `POST /links HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"target":"`,
        trickle,
      )
      // reads the status line and not a byte more
      const answered: Promise<unknown>[] = []
      await many(readers, `GET /links/export HTTP/1.1\r\n${head}\r\n`, (socket) => {
        // a connection that is one too many is reset: its client had sent something already
        answered.push(once(socket, 'data').catch(() => undefined))
        socket.once('data', (bytes) => {
          socket.pause()
          const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? '0'
          exports[status] = (exports[status] ?? 0) + 1
        })
      })
      await Promise.race([
        Promise.all(answered),
        new Promise((resolve) => {
          setTimeout(resolve, 5_000).unref()
        }),
      ])
      return () => {
        for (const socket of sockets) socket.destroy()
      }
    }

    await measure()
    const alone: number[] = []
    const among: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await measure())
      const leave = await occupy()
      most = Math.max(most, await descriptors())
      among.push(await measure())
      most = Math.max(most, await descriptors())
      leave()
      await until('the descriptors are closed', async () => (await descriptors()) <= atRest + 50)
    }
    return {
      alone,
      among,
      ratio: median(among) / median(alone),
      medianAmong: median(among),
      failed,
      descriptors: { atRest, most, after: await descriptors() },
      exports,
    }
  } finally {
    await node.stop('SIGKILL')
  }
}
