import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { StartError } from '../domain/start-error.js'
import { waitForLock, type Lock } from './embedded/crash-safe-lock.js'
import { loadCredentials } from './embedded/credentials.js'
import { locksOf, requireDataDir } from './embedded/data-dir.js'
import { errorCode } from './embedded/errno.js'
import { settleHome, type Home } from './embedded/home.js'
import { initCluster, requireSameMajor } from './embedded/init-cluster.js'
import { startPostmaster, stopPostmaster, waitUntilReady, type Postmaster } from './embedded/postmaster.js'
import { isInUse, register } from './embedded/registrations.js'
import { prepareRuntime, requirePlatformPackage } from './embedded/runtime.js'

export { claimDataDir } from './embedded/data-dir.js'

const DATABASE = 'linkgate'
const LOCK = 'postgres'
const PATIENCE_MS = 150_000

/** A running embedded PostgreSQL, as one of the processes that use it sees it. */
export interface EmbeddedPostgres {
  /** the superuser that owns the schema */
  readonly owner: ClientConfig
  /** what the migration gives to the service's login role */
  readonly service: { readonly user: 'linkgate_service'; readonly password: string }
  readonly socket: { readonly host: string; readonly port: number }
  /** Gives it up. The last one to leave stops the server and waits until it is gone. */
  leave(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataDir: string
  /** told, in a line, what takes long or is out of the ordinary */
  readonly log?: (line: string) => void
  /** settings of PostgreSQL for a server that this call starts; for tests alone: they can give up durability */
  readonly settings?: Readonly<Record<string, string>>
}

const lockServer = async (dataDir: string): Promise<Lock> => {
  const lock = await waitForLock(locksOf(dataDir), LOCK, PATIENCE_MS)
  if ('release' in lock) return lock
  throw new StartError(
    `process ${lock.holder.pid} has been starting or stopping the database in ${dataDir} for too long`,
  )
}

const tryConnect = async (config: ClientConfig): Promise<void> => {
  const client = new Client({ ...config, connectionTimeoutMillis: 10_000 })
  // a connection that breaks is reported by what waits for it
  client.on('error', () => undefined)
  try {
    await client.connect()
  } finally {
    await client.end()
  }
}

const createDatabase = async (owner: ClientConfig): Promise<void> => {
  const client = new Client({ ...owner, database: 'postgres' })
  await client.connect()
  try {
    await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

const requireAnswer = async (owner: ClientConfig, dataDir: string): Promise<void> => {
  try {
    await tryConnect(owner)
  } catch (error) {
    if (errorCode(error) === '28P01') {
      throw new StartError(
        `the database does not take the password in ${dataDir}: restore postgres-credentials.json from a backup`,
        { cause: error },
      )
    }
    // the first start, or one that was interrupted after the cluster was made
    if (errorCode(error) !== '3D000') throw error
    await createDatabase(owner)
  }
}

const asStartError = (error: unknown): unknown =>
  error instanceof StartError || errorCode(error) === undefined || !(error instanceof Error)
    ? error
    : new StartError(`the embedded PostgreSQL could not be opened: ${error.message}`, { cause: error })

/**
 * Starts PostgreSQL under the data folder, or joins the one that runs there already (of another process, or of one that
 * was killed). Resolves when it answers and has the database `linkgate`; after a crash it has recovered every committed
 * transaction. It listens on a Unix socket alone. `StartError` where it cannot.
 */
export const openEmbeddedPostgres = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const log = options.log ?? (() => undefined)
  const settings = options.settings ?? {}
  const dataDir = await requireDataDir(options.dataDir)
  const logFile = join(dataDir, 'postgres.log')

  const start = async (home: Home, password: string): Promise<Postmaster> => {
    const runtime = await prepareRuntime(home, await requirePlatformPackage())
    if (!home.clusterExists) {
      log(`making the database in ${home.folder} (first start)`)
      await initCluster(home, runtime, password, settings['fsync'] !== 'off')
    }
    await requireSameMajor(home, runtime)
    return startPostmaster(home, runtime, logFile, settings)
  }

  const open = async (home: Home): Promise<EmbeddedPostgres> => {
    const credentials = await loadCredentials(dataDir, home.clusterExists)
    const running = home.clusterExists ? await waitUntilReady(home, logFile) : undefined
    const { socketDir, port } = running ?? (await start(home, credentials.owner))
    const password = credentials.owner
    const owner = { host: socketDir, port, user: 'postgres', password, database: DATABASE, ssl: false }
    await requireAnswer(owner, dataDir)
    const registration = await register(dataDir)

    const leave = async (): Promise<void> => {
      const lock = await lockServer(dataDir)
      try {
        await registration.remove()
        if (!(await isInUse(dataDir))) await stopPostmaster(home, logFile)
      } finally {
        await lock.release()
      }
    }
    let left: Promise<void> | undefined
    return {
      owner,
      service: { user: 'linkgate_service', password: credentials.service },
      socket: { host: socketDir, port },
      leave: () => (left ??= leave()),
    }
  }

  let home: Home | undefined
  const lock = await lockServer(dataDir)
  try {
    home = await settleHome(dataDir, log)
    return await open(home)
  } catch (error) {
    // what we started must not stay behind, and what went wrong first is what matters
    if (home && !(await isInUse(dataDir))) await stopPostmaster(home, logFile).catch(() => undefined)
    throw asStartError(error)
  } finally {
    await lock.release()
  }
}
