import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { ClientConfig } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { makeTemporaryFolder } from './temporary-folder.js'

/** A service as a process of its own, as its users run it (`linkgate serve`, from dist/). */
export interface ServiceNode {
  readonly baseUrl: string
  readonly child: ChildProcess
  /** all that it wrote so far, both streams */
  output(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const LINKGATE = fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT))

/** A connection as a URL that a setting takes; a socket's folder goes into the query. */
export const urlOf = ({ host = '', port = 5432, user = '', password, database = '' }: ClientConfig): string => {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(String(password))}`
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

/** The settings of a node on a database that is there already. */
export const onDatabase = (service: ClientConfig, owner: ClientConfig): Record<string, string> => ({
  DATABASE_URL: urlOf(service),
  MIGRATION_DATABASE_URL: urlOf(owner),
})

/**
 * Starts a node and waits until its start is over: it listens, and there is an account. Rejects with its output if it
 * ends before that. `program` is this version's unless it is told.
 */
export const startNode = async (
  environment: Readonly<Record<string, string>>,
  program = LINKGATE,
): Promise<ServiceNode> => {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      DATA_DIR: join(await makeTemporaryFolder(), 'data'),
      RATE_LIMIT_ANONYMOUS: 'off',
      RATE_LIMIT_USER: 'off',
      RATE_LIMIT_SIGN_IN: 'off',
      RATE_LIMIT_INVITE: 'off',
      RATE_LIMIT_LINK_PASSWORD: 'off',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  const started = new Promise<string>((resolve, reject) => {
    let isStarted = false
    const read = (chunk: Buffer) => {
      written += chunk.toString('utf8')
      if (isStarted) return
      const url = /"url":"(http[^"]+)"[^\n]*"listening"/.exec(written)?.[1]
      // the last line of a start; a node that is interrupted before it may end with an error
      if (url === undefined || !written.includes('Ctrl-C')) return
      isStarted = true
      resolve(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}: ${written}`)))
  })
  return {
    baseUrl: await started,
    child,
    output: () => written,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}
