import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { isAbsolute, join, relative, sep } from 'node:path'

import { Command } from 'commander'
import type { Logger } from 'pino'

import { PACKAGE_ROOT } from '../config.js'
import type { Config } from '../config.js'
import { openDatabase } from '../database/open.js'
import type { OpenedDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { claimDataDir } from '../embedded-postgres/embedded-postgres.js'
import { createAccounts } from '../identity/accounts.js'
import type { Accounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'
import { createLogger, logUncaught, standardOutput } from '../log/create-logger.js'
import { print, settings } from './session.js'
import { onSignals } from './signals.js'

const FIRST_ADMIN = 'admin@localhost'
const STOP_WITHIN_MS = 10_000

/** `linkgate serve`: runs until it is told to stop. */
export const serveCommand = (): Command =>
  new Command('serve').description('run the service (what "npm start" runs)').action(async () => {
    const config = settings()
    const log = createLogger(config.logLevel, standardOutput({ shared: config.workers > 1 }))
    logUncaught(log)
    const signals = onSignals()
    const claim = await claimDataDir(config.dataDir)
    try {
      const opened = await openDatabase(
        { ...config, migrations: new URL('migrations/', PACKAGE_ROOT) },
        { log: (line) => log.warn(line) },
      )
      try {
        const running = await start({ config, opened, log })
        signals.onHangUp(() => running.restart())
        try {
          // after it listens: where it cannot, nobody would be told of the password
          const admin = await firstAdmin(opened, config)
          print(welcome(running.baseUrl, admin, opened.embedded ? shown(config.dataDir) : null))
        } catch (error) {
          await running.stop({ now: true })
          throw error
        }
        await signals.first
        await stop(running, log, signals.second, config.drainMs)
      } finally {
        await opened.leave()
      }
    } finally {
      await claim.release()
    }
  })

/** What serves: this process, or several workers of it. */
interface Running {
  readonly baseUrl: string
  stop(how: { readonly now: boolean }): Promise<void>
  /** replaces the processes that serve, one after another */
  restart(): unknown
}

const start = async (parts: {
  readonly config: Config
  readonly opened: OpenedDatabase
  readonly log: Logger
}): Promise<Running> => {
  if (parts.config.workers > 1) {
    // A node of one process needs nothing of it.
    const { startWorkers } = await import('../cluster/start-workers.js')
    return startWorkers(parts)
  }
  // The primary of workers reads no request, and needs nothing of it.
  const { startService } = await import('../service.js')
  const service = await startService(parts)
  return {
    baseUrl: service.baseUrl,
    stop: ({ now }) => service.stop({ now, lingerMs: parts.config.drainMs }),
    restart: () => parts.log.info('SIGHUP is ignored: with WORKERS=1 nobody else could serve meanwhile'),
  }
}

const stop = async (running: Running, log: Logger, second: Promise<void>, drainMs: number): Promise<void> => {
  const withinMs = drainMs + STOP_WITHIN_MS
  log.info('stopping: requests in flight are finished first')
  const late = setTimeout(() => log.warn('requests in flight were cut off'), withinMs)
  const impatient = Promise.race([second, new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref())])
  try {
    await Promise.race([running.stop({ now: false }), impatient.then(() => running.stop({ now: true }))])
  } finally {
    clearTimeout(late)
  }
  log.info('stopped')
}

/** `passwordFile` is null where an external issuer signs in: nobody has a password then. */
interface FirstAdmin {
  readonly email: string
  readonly passwordFile: string | null
}

/**
 * The first account of an empty installation. Its password goes into a file that only its owner may read: not into the
 * terminal's history, nor into a log that somebody collects.
 */
const firstAdmin = async (opened: OpenedDatabase, config: Config): Promise<FirstAdmin | null> => {
  const database = openPool({
    connection: opened.service,
    size: 1,
    pooled: config.databasePooled,
    deadlineMs: config.requestDeadlineMs,
  })
  try {
    return await addFirstAdmin(createAccounts(database), config)
  } finally {
    await database.close()
  }
}

const addFirstAdmin = async (accounts: Accounts, { dataDir, externalIssuer }: Config): Promise<FirstAdmin | null> => {
  if (await accounts.any()) return null
  if (externalIssuer !== undefined) {
    const added = await accounts.addFirst({ email: FIRST_ADMIN, role: 'admin', name: 'Admin', passwordHash: null })
    return added && { email: added.email, passwordFile: null }
  }
  const password = randomBytes(18).toString('base64url')
  const passwordFile = join(dataDir, 'first-admin-password')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // written before the account exists: a crash in between leaves a password without an account, not the other way round
  await writeFile(passwordFile, password, { mode: 0o600 })
  await chmod(passwordFile, 0o600)
  const added = await accounts.addFirst({
    email: FIRST_ADMIN,
    role: 'admin',
    name: 'Admin',
    passwordHash: await (await createPasswords()).hash(password),
  })
  if (added === null) {
    // another node was first, and its password is the one that counts
    await rm(passwordFile, { force: true })
    return null
  }
  return { email: added.email, passwordFile: shown(passwordFile) }
}

/** A path as short as it can be read: relative where it leads down from here, absolute where it would lead up. */
const shown = (path: string): string => {
  const short = relative('.', path) || '.'
  return short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short
}

const welcome = (baseUrl: string, admin: FirstAdmin | null, dataDir: string | null): string =>
  [
    '',
    `  Linkgate listens on ${baseUrl}`,
    '',
    `  Reference       ${baseUrl}/docs`,
    ...(dataDir === null ? [] : [`  Database        embedded PostgreSQL in ${dataDir}`]),
    ...signInLines(baseUrl, admin),
    '  Stop            Ctrl-C',
    '',
  ].join('\n')

const signInLines = (baseUrl: string, admin: FirstAdmin | null): readonly string[] => {
  if (admin === null) return ['  A token         npx linkgate token --user admin@localhost']
  if (admin.passwordFile === null) {
    return [
      `  First admin     ${admin.email}; say who that is to your issuer: npx linkgate user link ${admin.email} --subject SUB`,
      `  Or a token      npx linkgate token --user ${admin.email}`,
    ]
  }
  return [
    `  First admin     ${admin.email}, password in ${admin.passwordFile} (change it, then delete the file)`,
    `  Sign in         curl ${baseUrl}/auth/token -d grant_type=password -d username=${admin.email} --data-urlencode password@${admin.passwordFile}`,
    `  Or a token      npx linkgate token --user ${admin.email}`,
  ]
}
