import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ClientConfig } from 'pg'

import { freePort } from './proxy.js'
import { makeTemporaryFolder } from './temporary-folder.js'

// Debian keeps it where only root's PATH leads
const ENVIRONMENT = { PATH: `${process.env['PATH']}:/usr/sbin` }

export const hasPgbouncer = spawnSync('pgbouncer', ['--version'], { env: ENVIRONMENT }).status === 0

/** PgBouncer in transaction mode, in front of one server. */
export interface Pgbouncer {
  /** the same login, through the pooler */
  through(connection: ClientConfig): ClientConfig
  /** Ends it as a crash would; resolves when it is gone. */
  kill(): Promise<void>
  start(): Promise<void>
}

export interface PgbouncerOptions {
  /** every login that it takes, all on one server */
  readonly logins: readonly ClientConfig[]
  /** connections to the server, for each login and database */
  readonly poolSize: number
  /** more lines for its settings */
  readonly settings?: readonly string[]
}

const quoted = (text: unknown): string => `"${String(text).replaceAll('"', '""')}"`

/**
 * Starts PgBouncer on a free port of the loopback. It refuses to run as root: it runs as the user that PostgreSQL does.
 */
export const startPgbouncer = async ({ logins, poolSize, settings = [] }: PgbouncerOptions): Promise<Pgbouncer> => {
  const user = process.geteuid?.() === 0 ? await stat(logins[0]?.host ?? '') : undefined
  const folder = join(await makeTemporaryFolder(), 'pgbouncer')
  const port = await freePort()
  await mkdir(folder, { mode: 0o700 })
  const [users, file] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')]
  await writeFile(users, logins.map((login) => `${quoted(login.user)} ${quoted(login.password)}\n`).join(''))
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${logins[0]?.host} port=${logins[0]?.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 500',
      ...settings,
      '',
    ].join('\n'),
  )
  if (user) for (const each of [users, file, folder]) await chown(each, user.uid, user.gid)
  await chmod(users, 0o600)

  const start = async () => {
    const child = spawn('pgbouncer', [file], {
      env: ENVIRONMENT,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += String(text)
        if (said.includes('process up')) resolve()
      })
      child.once('exit', () => reject(new Error(`PgBouncer does not start: ${said}`)))
    })
    return child
  }
  let child = await start()
  return {
    through: (connection) => ({ ...connection, host: '127.0.0.1', port }),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    start: async () => {
      child = await start()
    },
  }
}
