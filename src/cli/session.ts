import { userInfo } from 'node:os'

import { PACKAGE_ROOT, readConfig } from '../config.js'
import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import { openDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { StartError } from '../domain/start-error.js'
import { UsageError } from './usage-error.js'

/** The settings, or a UsageError: a setting that cannot be read is the user's to mend. */
export const settings = (): Config => {
  try {
    return readConfig()
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message)
    throw error
  }
}

/** Longer than a request may take: a large edit is one transaction. */
const DEADLINE_MS = 120_000

/**
 * Runs a command on the database that the settings name: beside a running server, or on the embedded one, started for
 * the length of the command.
 */
export const withDatabase = async <T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> => {
  const config = settings()
  const opened = await openDatabase({ ...config, migrations: new URL('migrations/', PACKAGE_ROOT) })
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

/** Whoever sits at the terminal, as the histories name them. */
export const osUser = (): string => {
  try {
    return userInfo().username
  } catch {
    // a container may run under a number that nobody named
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

export const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}
