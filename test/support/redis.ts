import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

import { freePort } from './proxy.js'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Redis on a port of the loopback, which keeps nothing on disk. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** It answers nobody any more, and closes nothing. */
  freeze(): void
  thaw(): void
  /** Ends it as a crash would; resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
}

const run = async (port: number) => {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += String(text)
      if (said.includes('Ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`Redis does not start: ${said}`)))
  })
  return child
}

export const startRedis = async (): Promise<RedisServer> => {
  const port = await freePort()
  let child = await run(port)
  return {
    port,
    url: `redis://127.0.0.1:${port}/0`,
    freeze: () => {
      child.kill('SIGSTOP')
    },
    thaw: () => {
      child.kill('SIGCONT')
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    start: async () => {
      child = await run(port)
    },
  }
}
