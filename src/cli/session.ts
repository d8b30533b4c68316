import { userInfo } from 'node:os'

import { PACKAGE_ROOT, readConfig } from '../config.js'
import type { Database } from '../database/database.js'
import { openDatabase, type DatabaseSettings } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { StartError } from '../domain/start-error.js'
import type { User } from '../domain/user.js'
import { createAccounts } from '../identity/accounts.js'
import { UsageError } from './errors.js'
import { onInterruption } from './signals.js'

/** The settings and the folder of the migrations. Invalid settings are a UsageError. */
export const settings = () => {
  try {
    return { ...readConfig(), migrations: new URL('migrations/', PACKAGE_ROOT) }
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error
  }
}

export type Settings = ReturnType<typeof settings>

/** Longer than a request's deadline: a large edit is one transaction. */
const DEADLINE_MS = 120_000

/**
 * Runs a command on the configured database. If the embedded one is not running, it is started for this command, and
 * stopped with it, also by a signal.
 */
export const withDatabase = async <T>(work: (database: Database, config: Settings) => Promise<T>): Promise<T> => {
  const config = settings()
  return whileOpen(config, openDatabase(config), async ({ service }) => {
    const database = openPool({
      connection: { ...service, application_name: `linkgate command line, ${osUser()}` },
      size: 2,
      pooled: config.databasePooled,
      deadlineMs: DEADLINE_MS,
    })
    return work(database, config).finally(() => database.close())
  })
}

/**
 * Runs work on a database that is being opened, then leaves it. A signal stops the embedded one before it ends the
 * command, also while that is starting or stopping.
 */
export const whileOpen = async <Opened extends { readonly leave: () => Promise<void> }, T>(
  { databaseUrl }: Pick<DatabaseSettings, 'databaseUrl'>,
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> => {
  const interruption = onInterruption(async () => {
    // an external one needs no end, and may never answer
    if (databaseUrl === undefined) await (await opening).leave()
  })
  try {
    const opened = await interruption.settled(opening)
    try {
      return await interruption.settled(work(opened))
    } finally {
      await opened.leave()
    }
  } finally {
    interruption.off()
  }
}

export const lookUpUser = async (database: Database, idOrEmail: string): Promise<User> => {
  const user = await createAccounts(database).find(idOrEmail)
  if (user === null) throw new StartError(`there is no user ${idOrEmail}`)
  return user
}

/** The person at the terminal, for histories. */
export const osUser = (): string => {
  try {
    return userInfo().username
  } catch {
    // in a container, a user id may have no name
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
