import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, chown, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '../../domain/start-error.js'
import { unlessMissing } from './errno.js'
import { makeServerFolder, type Home } from './home.js'
import { isAlive, isRunning, markOf, worksIn } from './process-mark.js'
import type { Runtime } from './runtime.js'
import { SERVER_ENVIRONMENT, signalAs } from './server-user.js'

const POLL_MS = 5
const PATIENCE_MS = 120_000
const LOG_LIMIT = 10 * 1024 * 1024
const PORT = 5432
const SHORT_PLACE = '/tmp'
/** sun_path has 104 bytes on macOS and 108 on Linux, and ends with a zero */
const SOCKET_PATH_LIMIT = 103

/** A server that has noted itself in its pid file. */
export interface Postmaster {
  readonly pid: number
  readonly socketDir: string
  readonly port: number
  readonly ready: boolean
}

type Settings = Readonly<Record<string, string>>

const pidFileOf = (home: Home): string => join(home.cluster, 'postmaster.pid')
const socketDirOf = (home: Home): string => join(home.folder, 'run')

const readPidFile = async (home: Home): Promise<Postmaster | undefined> => {
  const lines = (await unlessMissing(readFile(pidFileOf(home), 'utf8'), '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  return { pid, port: Number(lines[3]) || PORT, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
}

/** The server that runs on this cluster, whoever started it; undefined where none does. */
export const findPostmaster = async (home: Home): Promise<Postmaster | undefined> => {
  const noted = await readPidFile(home)
  if (!noted || !(await isRunning(noted.pid))) return undefined
  // where the system does not tell what the process is, take it for the server: two servers on one cluster destroy it
  return (await worksIn(noted.pid, home.cluster)) === false ? undefined : noted
}

/** Waits until the server takes connections; undefined where it ends first. */
export const waitUntilReady = async (home: Home, logFile: string): Promise<Postmaster | undefined> => {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const postmaster = await findPostmaster(home)
    if (!postmaster || postmaster.ready) return postmaster
    if (Date.now() > until) throw new StartError(`PostgreSQL does not come up: see ${logFile}`)
    await delay(POLL_MS)
  }
}

/**
 * A number in the pid file that belongs to another program by now would stop the server from starting. Our own number
 * does not (a server overlooks its parent), and the rest of the file stays: by it the server notices processes of its
 * predecessor that still have the memory open.
 */
const disownPidFile = async (home: Home): Promise<void> => {
  const noted = await readPidFile(home)
  if (!noted || !(await isRunning(noted.pid)) || (await worksIn(noted.pid, home.cluster)) !== false) return
  const handle = await open(pidFileOf(home), constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const [, ...rest] = (await handle.readFile('utf8')).split('\n')
    await handle.truncate(0)
    await handle.write([process.pid, ...rest].join('\n'), 0)
  } finally {
    await handle.close()
  }
}

/** A folder for the socket that only the server's user (and root) may enter, with a path short enough for a socket. */
const makeSocketDir = async (home: Home): Promise<string> => {
  const folder = socketDirOf(home)
  // what a killed server left there would only be in the way
  await rm(folder, { recursive: true, force: true })
  if (Buffer.byteLength(`${folder}/.s.PGSQL.${PORT}`) > SOCKET_PATH_LIMIT) {
    return makeServerFolder(SHORT_PLACE, 'linkgate-', home.user)
  }
  await mkdir(folder, { mode: 0o700 })
  await chmod(folder, 0o700)
  if (home.user) await chown(folder, home.user.uid, home.user.gid)
  return folder
}

const removeSocketDir = async (home: Home, folder: string): Promise<void> => {
  // the path comes from a file that the server's user can write: delete nothing that we would not have made
  const isShort = dirname(folder) === SHORT_PLACE && /^linkgate-\w{6}$/.test(basename(folder))
  if (folder === socketDirOf(home) || isShort) await rm(folder, { recursive: true, force: true })
}

const openLog = async (file: string): Promise<Awaited<ReturnType<typeof open>>> => {
  const size = (await unlessMissing(stat(file), undefined))?.size ?? 0
  if (size > LOG_LIMIT) await rename(file, `${file}.1`)
  return open(file, 'a', 0o600)
}

const settingsOf = (socketDir: string, extra: Settings): string[] =>
  Object.entries({
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    port: String(PORT),
    max_connections: '100',
    shared_buffers: '128MB',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    password_encryption: 'scram-sha-256',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_checkpoints: 'off',
    // the service reports its own statements; their texts and values do not belong into a second log
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...extra,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const lastWordsIn = async (logFile: string, from: number): Promise<string> => {
  const text = (await readFile(logFile)).subarray(from).toString('utf8')
  return text.split('\n').findLast((line) => /FATAL|PANIC|ERROR|error/.test(line)) ?? text.trim().slice(-300)
}

/** Returns the server once it is ready, or its last words. */
const launch = async (home: Home, runtime: Runtime, logFile: string, extra: Settings): Promise<Postmaster | string> => {
  await disownPidFile(home)
  const socketDir = await makeSocketDir(home)
  const output = await openLog(logFile)
  try {
    const from = (await output.stat()).size
    const identity = home.user ? { uid: home.user.uid, gid: home.user.gid } : {}
    const child = spawn(runtime.postgres, ['-D', home.cluster, ...settingsOf(socketDir, extra)], {
      // a group of its own: Ctrl-C in our terminal is for us, and we stop the server after our last statement
      ...identity,
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    child.unref()
    let ended = ''
    child.once('error', (error) => {
      ended = error.message
    })
    child.once('exit', (code, signal) => {
      ended = signal ?? `exit status ${code}`
    })
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      if (ended) {
        await removeSocketDir(home, socketDir)
        return (await lastWordsIn(logFile, from)) || ended
      }
      const noted = await readPidFile(home)
      if (noted?.pid === child.pid && noted?.ready) return noted
      if (Date.now() > until) {
        child.kill('SIGINT')
        throw new StartError(`PostgreSQL does not come up: see ${logFile}`)
      }
      await delay(POLL_MS)
    }
  } finally {
    await output.close()
  }
}

/**
 * Starts the server and resolves once it takes connections (after a crash: once it has recovered). Call it under the
 * lock, with no server running. `StartError` naming the log file where it does not come up.
 */
export const startPostmaster = async (
  home: Home,
  runtime: Runtime,
  logFile: string,
  extra: Settings,
): Promise<Postmaster> => {
  const until = Date.now() + 10_000
  for (;;) {
    const result = await launch(home, runtime, logFile, extra)
    if (typeof result !== 'string') return result
    // the children of a killed server need a moment to notice that it is gone
    if (!/still in use|lock file/.test(result) || Date.now() > until) {
      throw new StartError(`PostgreSQL did not come up (${result}): see ${logFile}`)
    }
    await delay(POLL_MS * 10)
  }
}

/** Stops the server, if one runs, and waits until it is gone. What was committed stays. */
export const stopPostmaster = async (home: Home, logFile: string): Promise<void> => {
  const postmaster = await findPostmaster(home)
  if (!postmaster) return
  const mark = await markOf(postmaster.pid)
  if (!mark) return
  await signalAs(home.user, 'INT', postmaster.pid)
  const until = Date.now() + PATIENCE_MS
  while (await isAlive(mark)) {
    if (Date.now() > until) throw new StartError(`PostgreSQL (process ${postmaster.pid}) does not stop: see ${logFile}`)
    await delay(POLL_MS)
  }
  await removeSocketDir(home, postmaster.socketDir)
}
