import { spawn } from 'node:child_process'
import { chown, mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { ClientConfig } from 'pg'

import { openEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'
import type { AskDatabase } from './bare-database.js'
import { openedDatabase, type TestDatabase } from './database.js'
import { isRunning } from './is-running.js'
import { openMigratedServer } from './migrated-server.js'
import { makeTemporaryFolder } from './temporary-folder.js'
import { untilGone } from './workers.js'
import { until } from './until.js'

/**
 * A PostgreSQL of a test's own, that it may kill, freeze and start again without touching any other. Full durability
 * unless told otherwise.
 */
export interface OwnServer {
  readonly owner: ClientConfig
  readonly service: ClientConfig
  readonly dataDir: string
  readonly ask: AskDatabase
  /** Sends a signal to every process of the server, the postmaster first. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** `kill -9` of all of them; resolves when they are gone. */
  kill(): Promise<void>
  /** Starts it again where it is not running; resolves when it has recovered and answers. */
  start(): Promise<void>
  /** Stops it, and starts it with these variables in its environment. */
  restartWith(environment: Readonly<Record<string, string>>): Promise<void>
  /** Stops it and leaves its files. */
  stop(): Promise<void>
  remove(): Promise<void>
  /** as a service of this process opens it */
  readonly database: TestDatabase
}

export interface OwnServerOptions {
  readonly dataDir?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** Every process whose parent is `parent`, by what /proc says. */
const childrenOf = async (parent: number): Promise<readonly number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
      // the name in brackets may hold anything; the parent is the second field behind it
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    }),
  )
  return pids.filter((_, i) => parents[i] === parent)
}

/** Whether this system tells which processes a server has: what these tests need. */
export const tellsProcesses = process.platform === 'linux'

export const startOwnServer = async ({ dataDir: given, settings = {} }: OwnServerOptions = {}): Promise<OwnServer> => {
  const folder = given ?? (await makeTemporaryFolder())
  const dataDir = join(folder, 'data')
  const opened: EmbeddedPostgres[] = []
  const open = async () => {
    const postgres = await openEmbeddedPostgres({ dataDir, settings, restarts: false })
    opened.push(postgres)
    return postgres
  }
  const first = await openMigratedServer({ dataDir, settings, restarts: false })
  opened.push(first)
  const { owner, service } = first
  const processes = async (): Promise<readonly number[]> => {
    const pid = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
    return [pid, ...(await childrenOf(pid))]
  }
  const signal = async (name: NodeJS.Signals) => {
    const pids = await processes()
    for (const pid of pids) {
      try {
        process.kill(pid, name)
      } catch {
        // it ended by itself meanwhile
      }
    }
    return pids
  }
  const stop = async () => {
    for (const postgres of opened) await postgres.leave()
  }
  const database = openedDatabase(owner, service)
  return {
    owner,
    dataDir,
    service: database.service,
    ask: database.asOwner,
    database,
    signal: async (name) => {
      await signal(name)
    },
    kill: async () => untilGone(await signal('SIGKILL'), isRunning),
    start: async () => {
      await open()
    },
    restartWith: async (environment) => {
      const [pid] = await processes()
      const [program, words, { uid, gid }] = await Promise.all([
        readlink(`/proc/${pid}/exe`),
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
        stat(join(dataDir, 'postgres')),
      ])
      await stop()
      opened.length = 0
      const socket = join(dataDir, 'run')
      await mkdir(socket, { recursive: true, mode: 0o700 })
      await chown(socket, uid, gid)
      spawn(program, words.split('\0').slice(1, -1), {
        uid,
        gid,
        cwd: '/',
        stdio: 'ignore',
        detached: true,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...environment },
      }).unref()
      const isReady = async () =>
        (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[7]?.trim() ===
        'ready'
      await until('PostgreSQL is ready', isReady)
      await open()
    },
    stop,
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
