import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { StartError } from '../domain/start-error.js'
import { syncFolder, unlessMissing } from '../files.js'
import type { Home } from './home.js'
import { commandOf } from './process-mark.js'
import type { Programs } from './programs.js'
import { runAs } from './server-user.js'

const WAIT_SECONDS = '120'
const LOG_LIMIT = 10 * 1024 * 1024
const DRAFT = 'init-'
export const PORT = 5432

/** Settings of PostgreSQL, by name. */
export type Settings = Readonly<Record<string, string>>

/** The folder of the server's socket, which only its user (and root) may enter. */
export const socketFolderOf = (home: Home): string => join(home.folder, 'run')

/** The server's log. */
export const logFileOf = (home: Home): string => join(home.folder, 'postgres.log')

const chownTo = async ({ user }: Home, ...paths: readonly string[]): Promise<void> => {
  if (user) for (const path of paths) await chown(path, user.uid, user.gid)
}

/**
 * Creates an empty cluster: UTF-8, a text order that system library updates do not change, checksums, and passwords
 * (SCRAM) for every connection. A rename puts it in place, so an existing cluster is complete. Call it under the lock:
 * it deletes leftovers of an interrupted attempt.
 */
export const initCluster = async (home: Home, { folder }: Programs, password: string, durable: boolean) => {
  const interrupted = (await readdir(home.folder)).filter((name) => name.startsWith(DRAFT))
  await Promise.all(interrupted.map((name) => rm(join(home.folder, name), { recursive: true, force: true })))
  const draft = await mkdtemp(join(home.folder, DRAFT))
  try {
    const passwordFile = join(draft, 'password')
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    await chownTo(home, passwordFile, draft)
    const failure = await runAs(home.user, join(folder, 'initdb'), [
      `--pgdata=${join(draft, 'cluster')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(durable ? [] : ['--no-sync']),
    ])
    if (failure !== undefined) throw new StartError(`the database could not be created in ${home.folder}: ${failure}`)
    await rename(join(draft, 'cluster'), home.cluster)
    if (durable) await syncFolder(home.folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** `StartError` if another major version of PostgreSQL created the cluster, because this one cannot read its files. */
const requireSameMajor = async ({ cluster }: Home, { major }: Programs): Promise<void> => {
  const creator = (await unlessMissing(readFile(join(cluster, 'PG_VERSION'), 'utf8'), '(no PG_VERSION)')).trim()
  if (creator === major) return
  const advice = 'dump it with that version and restore it, or set DATA_DIR to another folder'
  throw new StartError(
    `the database in ${cluster} was created by PostgreSQL ${creator} and cannot be opened by ${major}: ${advice}`,
  )
}

const isServer = async (pid: number, { cluster }: Home): Promise<boolean> =>
  (await commandOf(pid)).includes(` -D ${cluster} `)

/** The process of the server on this cluster, whoever started it; undefined if there is none. */
export const serverPid = async (home: Home): Promise<number | undefined> => {
  const pid = Number.parseInt(await unlessMissing(readFile(join(home.cluster, 'postmaster.pid'), 'utf8'), ''), 10)
  // after a crash another program may have this id, and pg_ctl would take it for the server and signal it
  return pid > 1 && (await isServer(pid, home)) ? pid : undefined
}

/**
 * The server does not start while the process in its pid file runs, even if that is another program by now. It ignores
 * its own ancestors, so this writes our process id there. The rest of the file stays, because the server uses it to
 * detect that children of its predecessor still use the shared memory. The server's user writes the file: root must not
 * write in a folder that another user controls.
 */
const disownPidFile = async ({ cluster, user }: Home): Promise<void> => {
  const script =
    'cd "$1" && [ -e postmaster.pid ] && sed "1s/.*/$2/" postmaster.pid >new.pid && mv new.pid postmaster.pid'
  await runAs(user, '/bin/sh', ['-c', script, 'sh', cluster, String(process.pid)])
}

const optionsOf = (settings: Settings): string =>
  Object.entries({
    listen_addresses: '',
    // relative to the cluster, because a socket's path has a length limit
    unix_socket_directories: '../run',
    port: String(PORT),
    logging_collector: 'off',
    log_checkpoints: 'off',
    // the service logs its own statements; their texts and values do not belong in a second log
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...settings,
  })
    // pg_ctl passes them to a shell
    .map(([name, value]) => `-c '${`${name}=${value}`.replaceAll("'", `'\\''`)}'`)
    .join(' ')

/** Returns why the server did not start, or undefined if it did. */
const launch = async (home: Home, { folder }: Programs, settings: Settings): Promise<string | undefined> => {
  await disownPidFile(home)
  // recreated, because the lock file of a killed server's socket also names a process
  await rm(socketFolderOf(home), { recursive: true, force: true })
  await mkdir(socketFolderOf(home), { mode: 0o700 })
  const log = logFileOf(home)
  const size = (await unlessMissing(stat(log), undefined))?.size ?? 0
  if (size > LOG_LIMIT) await rename(log, `${log}.1`)
  await writeFile(log, '', { flag: 'a', mode: 0o600 })
  await chownTo(home, socketFolderOf(home), log)
  const args = ['start', '-D', home.cluster, '-l', log, '-t', WAIT_SECONDS, '-s', '-o', optionsOf(settings)]
  const failure = await runAs(home.user, join(folder, 'pg_ctl'), args)
  if (failure === undefined) return undefined
  const said = (await readFile(log)).subarray(size > LOG_LIMIT ? 0 : size).toString('utf8')
  return said.split('\n').findLast((line) => /FATAL|PANIC|ERROR|error/.test(line)) ?? failure
}

/**
 * Starts the server and resolves once it accepts connections (after a crash: once it has recovered). Call it under the
 * lock, with no server running. `StartError` naming the log file if it does not come up.
 */
export const startServer = async (home: Home, programs: Programs, settings: Settings): Promise<void> => {
  await requireSameMajor(home, programs)
  const until = Date.now() + 10_000
  for (;;) {
    const failure = await launch(home, programs, settings)
    if (failure === undefined) return
    // the children of a killed server need a moment to notice that it is gone
    if (!failure.includes('still in use') || Date.now() > until) {
      throw new StartError(`PostgreSQL did not come up (${failure}): see ${logFileOf(home)}`)
    }
    await delay(50)
  }
}

/** Stops the server, if one runs, and waits until it is gone. Committed data stays. Call it under the lock. */
export const stopServer = async (home: Home, { folder }: Programs): Promise<void> => {
  const pid = await serverPid(home)
  if (pid === undefined) return
  const args = ['stop', '-D', home.cluster, '-m', 'fast', '-t', WAIT_SECONDS, '-s']
  const failure = await runAs(home.user, join(folder, 'pg_ctl'), args)
  if (failure !== undefined && (await serverPid(home)) === pid) {
    throw new StartError(`PostgreSQL (process ${pid}) does not stop (${failure}): see ${logFileOf(home)}`)
  }
  // pg_ctl only waits until the pid file is gone; the process ends a moment later
  while (await isServer(pid, home)) await delay(5)
}
