import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { Client, type ClientConfig } from 'pg'

import { errorCode, messageOf } from '../domain/thrown.js'
import { once } from '../domain/once.js'
import { StartError } from '../domain/start-error.js'
import { loadCredentials } from './credentials.js'
import { requireDataDir } from './data-dir.js'
import { settleHome } from './home.js'
import { isAnyTaken, takeLock, type Lock } from './lock.js'
import { preparePrograms, requirePlatformPackage } from './programs.js'
import {
  initCluster,
  logFileOf,
  PORT,
  serverPid,
  socketFolderOf,
  startServer,
  stopServer,
  type Settings,
} from './server.js'

export { claimDataDir, hasDatabase } from './data-dir.js'
export { requirePlatformPackage } from './programs.js'

const PATIENCE_MS = 150_000
const POLL_MS = 20
/** How long the socket of a server may outlive the sight of its process: the system closes its files last. */
const CLOSING_MS = 1_000
const WATCH_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** a socket's path has at most 104 bytes on macOS and 108 on Linux, with a zero at its end */
const SOCKET_PATH_LIMIT = 103
/** errors of a connection while the server starts, recovers or stops */
const NOT_NOW = /^(57P01|57P03|ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|Connection terminated unexpectedly)$/

/** A running embedded PostgreSQL, used by one or more processes. */
export interface EmbeddedPostgres {
  /** the superuser that owns the schema */
  readonly owner: ClientConfig
  /** the password that the migration gives to the service's login role */
  readonly service: { readonly user: 'linkgate_service'; readonly password: string }
  readonly socket: { readonly host: string; readonly port: number }
  /** Stops using the server. The last user to leave stops it and waits until it is gone. */
  leave(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataDir: string
  /** receives a line about anything unusual */
  readonly log?: ((line: string) => void) | undefined
  /** PostgreSQL settings for a server that this call starts; those that give up durability are only for tests */
  readonly settings?: Settings
  /** false: a server that dies stays down; only for tests */
  readonly restarts?: boolean
}

const query = async (config: ClientConfig, text: string): Promise<void> => {
  const client = new Client({ ...config, connectionTimeoutMillis: 10_000 })
  // the pending query reports a broken connection
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** True if the server responds and has the database; false if a retry makes sense. */
const answers = async (owner: ClientConfig, dataDir: string): Promise<boolean> => {
  try {
    await query(owner, 'select')
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === '28P01') {
      const advice = 'restore postgres-credentials.json from a backup'
      throw new StartError(`the database does not take the password in ${dataDir}: ${advice}`, { cause: error })
    }
    // this is the first start, or an earlier one was interrupted after it created the cluster
    if (code === '3D000') await query({ ...owner, database: 'postgres' }, `create database ${owner.database}`)
    else if (!(error instanceof Error && NOT_NOW.test(code ?? error.message))) throw error
    return false
  }
}

/** A path to the folder that is short enough for a socket in it: its own, or that of a symbolic link. */
const shortPathTo = async (folder: string): Promise<{ readonly path: string; remove(): Promise<void> }> => {
  if (Buffer.byteLength(`${folder}/.s.PGSQL.${PORT}`) <= SOCKET_PATH_LIMIT) {
    return { path: folder, remove: async () => {} }
  }
  const place = await mkdtemp('/tmp/linkgate-')
  const path = join(place, 'run')
  await symlink(folder, path)
  return { path, remove: () => rm(place, { recursive: true, force: true }) }
}

/** Errors of a connection to a socket on which nobody listens; any other (EAGAIN: too many wait) may hide somebody. */
const NOBODY_LISTENS: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED'])

/** True if a process listens on this socket, also one that is invisible from here. */
const isListenedOn = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', (error) => resolve(!NOBODY_LISTENS.has(errorCode(error))))
  })

/** The lock for starting, joining or stopping the server. */
const lockIn = (dataDir: string): string => join(dataDir, 'locks', 'postgres')
/** The folder with one lock for each user of the server. */
const usersIn = (dataDir: string): string => join(dataDir, 'users')

const requireLock = async (folder: string): Promise<Lock> => {
  const lock = await takeLock(folder, PATIENCE_MS)
  if (typeof lock !== 'number') return lock
  throw new StartError(`process ${lock} has been starting or stopping the database for too long (it has ${folder})`)
}

const open = async (dataDir: string, options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const { log = () => undefined, settings = {}, restarts = true } = options
  const home = await settleHome(dataDir, log)
  const credentials = await loadCredentials(dataDir, home.clusterExists)
  const { path: host, remove: removePath } = await shortPathTo(socketFolderOf(home))
  const password = credentials.owner
  const owner = { host, port: PORT, user: 'postgres', password, database: 'linkgate', ssl: false }

  /** True if somebody listens at the server's address; not one that has just died and is still being cleared away. */
  const isAnswered = async (): Promise<boolean> => {
    const until = Date.now() + CLOSING_MS
    while (await isListenedOn(join(host, `.s.PGSQL.${PORT}`))) {
      if (Date.now() > until) return true
      await delay(POLL_MS)
    }
    return false
  }

  /** Resolves once the server responds: true if it had to be started. Call it under the lock. */
  const bringUp = async (): Promise<boolean> => {
    const until = Date.now() + PATIENCE_MS
    let isStarted = false
    for (;;) {
      if ((await serverPid(home)) === undefined) {
        if (await isAnswered()) {
          const advice = 'stop it, or set DATA_DIR to another folder'
          throw new StartError(`a PostgreSQL of another container already runs on ${home.cluster}: ${advice}`)
        }
        await startServer(home, await preparePrograms(home), settings)
        isStarted = true
      }
      if (await answers(owner, dataDir)) return isStarted
      if (Date.now() > until) throw new StartError(`PostgreSQL does not answer: see ${logFileOf(home)}`)
      await delay(POLL_MS)
    }
  }

  const restart = async (signal: AbortSignal): Promise<void> => {
    const lock = await takeLock(lockIn(dataDir))
    // only one of several watching processes starts it
    if (typeof lock === 'number') return
    try {
      if (!signal.aborted && (await bringUp())) log('PostgreSQL had died and was started again')
    } finally {
      await lock.release()
    }
  }

  /** Restarts the server at the same address whenever it has died. */
  const watch = async (signal: AbortSignal): Promise<void> => {
    let pause = WATCH_MS
    while (await delay(pause, true, { ref: false, signal }).catch(() => false)) {
      let hasDied = false
      try {
        hasDied = (await serverPid(home)) === undefined
        if (hasDied) await restart(signal)
        pause = WATCH_MS
      } catch (error) {
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
        const what = hasDied
          ? 'PostgreSQL has died and could not be started again'
          : 'it could not be found out whether PostgreSQL runs'
        log(`${what}: ${messageOf(error)}`)
      }
    }
  }

  const stopUnlessUsed = async (): Promise<void> => {
    // a server whose process is not found, as of another container: the locks of its users would look stale
    const isUnseen = (await serverPid(home)) === undefined && (await isAnswered())
    await removePath()
    if (isUnseen) return
    if (!(await isAnyTaken(usersIn(dataDir)))) await stopServer(home, await preparePrograms(home))
  }

  try {
    if (!home.clusterExists) await initCluster(home, await preparePrograms(home), password, settings['fsync'] !== 'off')
    await bringUp()
    const use = await requireLock(join(usersIn(dataDir), randomUUID()))
    const leaving = new AbortController()
    const watching = restarts ? watch(leaving.signal) : undefined
    const leave = once(async (): Promise<void> => {
      leaving.abort()
      await watching
      const lock = await requireLock(lockIn(dataDir))
      try {
        await use.release()
        await stopUnlessUsed()
      } finally {
        await lock.release()
      }
    })
    return {
      owner,
      service: { user: 'linkgate_service', password: credentials.service },
      socket: { host, port: PORT },
      leave,
    }
  } catch (error) {
    // a server that we started must not stay behind; report the first error
    await stopUnlessUsed().catch(() => undefined)
    throw error
  }
}

/**
 * Starts PostgreSQL under the data folder, or joins a server that already runs there (of another process, or of one
 * that was killed). Resolves when it responds and has the database `linkgate`; after a crash it has recovered every
 * committed transaction. It listens only on a Unix socket. Until `leave`, a server that dies is restarted at the same
 * address. `StartError` if it cannot be opened.
 */
export const openEmbeddedPostgres = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  // checked before any folder is created
  requirePlatformPackage()
  const dataDir = await requireDataDir(options.dataDir)
  const lock = await requireLock(lockIn(dataDir))
  try {
    return await open(dataDir, options)
  } catch (error) {
    if (error instanceof StartError || errorCode(error) === undefined || !(error instanceof Error)) throw error
    throw new StartError(`the embedded PostgreSQL could not be opened: ${error.message}`, { cause: error })
  } finally {
    await lock.release()
  }
}
