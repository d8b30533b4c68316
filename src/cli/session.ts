import { userInfo } from 'node:os'

import { PACKAGE_ROOT, readConfig } from '../config.js'
import type { Database } from '../database/database.js'
import { openDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { StartError } from '../domain/start-error.js'
import type { User } from '../domain/user.js'
import { createAccounts } from '../identity/accounts.js'
import { UsageError } from './errors.js'

// every command prints; what needs no database imports print.js alone
export { complain, print, printStyled } from './print.js'

/** The settings, and where the migrations are. Invalid settings are a UsageError. */
export const settings = () => {
  try {
    return { ...readConfig(), migrations: new URL('migrations/', PACKAGE_ROOT) }
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error
  }
}

/** Longer than a request's: a large edit is one transaction. */
const DEADLINE_MS = 120_000

/** Runs a command on the configured database. The embedded one is started for the command if it is not running. */
export const withDatabase = async <T>(
  work: (database: Database, config: ReturnType<typeof settings>) => Promise<T>,
): Promise<T> => {
  const config = settings()
  const opened = await openDatabase(config)
  const database = openPool({
    connection: { ...opened.service, application_name: `linkgate command line, ${osUser()}` },
    size: 2,
    pooled: config.databasePooled,
    deadlineMs: DEADLINE_MS,
  })
  try {
    return await work(database, config)
  } finally {
    await database.close()
    await opened.leave()
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
    // in a container a user id may have no name
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
